// Reads the bytes of an input in chunks, decompresses gzip and zstd, and counts the bytes read from the source.

import { t } from "../text/translate.ts";

export interface ByteSource {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Size of the input in bytes, before decompression. */
  readonly total: number;
  /** Returns the number of bytes read from the input so far, before decompression. */
  read(): number;
}

/** The error for an input that cannot be read. */
export class InputError extends Error {
  override readonly name = "InputError";
}

const gzipMagic = [0x1f, 0x8b];
const zstdMagic = [0x28, 0xb5, 0x2f, 0xfd];

export async function byteSource(input: string | File): Promise<ByteSource> {
  if (typeof input === "string") {
    const bytes = new TextEncoder().encode(input);
    return { chunks: pieces(once(bytes)), total: bytes.length, read: () => bytes.length };
  }
  let read = 0;
  const counted = input.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        read += chunk.length;
        controller.enqueue(chunk);
      },
    }),
  );
  const head = new Uint8Array(await input.slice(0, 4).arrayBuffer());
  const plain = startsWith(head, gzipMagic) ? counted.pipeThrough(new DecompressionStream("gzip")) : counted;
  const chunks = startsWith(head, zstdMagic) ? unzstd(chunksOf(plain)) : chunksOf(plain);
  return { chunks: pieces(readable(chunks, input.name)), total: input.size, read: () => read };
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => bytes[at] === byte);
}

/**
 * Largest size in bytes of a chunk of the input. Small chunks keep the amount small that a run over a sample
 * decodes beyond the sample.
 */
const longestChunk = 256 * 1024;

async function* pieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += longestChunk) yield chunk.subarray(at, at + longestChunk);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Yields the chunks of a stream. This function is needed because streams in Safari cannot be iterated. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** Decompresses zstd data. The decoder is loaded when it is used for the first time. */
async function* unzstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import("fzstd");
  let made: Uint8Array[] = [];
  const stream = new Decompress((chunk) => made.push(chunk));
  for await (const chunk of chunks) {
    stream.push(chunk);
    yield* made;
    made = [];
  }
  stream.push(new Uint8Array(0), true);
  yield* made;
}

/** Yields the chunks of a file. Errors name the file. */
async function* readable(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new InputError(t("{name} cannot be read: {message}", { name, message }));
  }
}
