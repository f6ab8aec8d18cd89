// Reads the body of a request and decompresses it. Limits the size of each body, and the total size of all
// bodies that are in memory at the same time (docs/reference/agent.md#writes). Bodies in zstd are decompressed
// in a worker thread, because Node 20 has no decoder for zstd.

import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBrotliDecompress, createGunzip, createInflateRaw } from "node:zlib";
import { ApiError } from "../errors.ts";
import type { Reservation } from "./inflight.ts";
import { free, freeOwn, freeWhole, setOwnMemory } from "./own-memory.ts";
import { Pace } from "./pace.ts";
import { decompressZstdInTurns, ZstdTooLarge, zstdLength } from "./zstd.ts";

export type Encoding = "" | "gzip" | "deflate" | "br" | "zstd";

/**
 * Checks the name of an encoding, such as `gzip`, and returns it. The name must be spelled exactly. Throws an
 * ApiError for an unknown name.
 */
export function encodingOf(name: string): Encoding {
  switch (name) {
    case "":
    case "gzip":
    case "deflate":
    case "br":
    case "zstd":
      return name;
    default:
      throw new ApiError("agent.decodeBodyFailed");
  }
}

/**
 * Reads the body as the client sent it, without decompressing it. Reserves memory for the bytes as they arrive,
 * through `held` (the request's share of the memory budget for bodies). The returned body may share its memory
 * with other bodies. Throws ApiError when the body is too large, arrives too slowly, or exceeds the budget.
 */
export function readBody(request: IncomingMessage, cap: number, held: Reservation): Promise<Uint8Array> {
  const declared = request.headers["content-length"];
  const length = declared === undefined ? undefined : Number(declared);
  if (length === 0) return Promise.resolve(noBytes);
  if (length !== undefined && length > cap) return refuse(request, tooLarge(cap), held);
  return collect(request, cap, held, { length }).catch((error: unknown) => refuse(request, error, held));
}

/**
 * Reads and discards the remaining bytes of a refused body, so that the client receives the answer, and then
 * throws `error`. Stops reading when the client sends too slowly or has disconnected.
 */
export async function refuse(request: IncomingMessage, error: unknown, held: Reservation): Promise<never> {
  if (error instanceof ApiError && error.code !== "agent.bodyTooSlow") await discard(request, held.minBytesPerSecond);
  throw error;
}

/**
 * The size in bytes of the memory that is first allocated for a body. When the client declares a smaller length,
 * the memory has exactly the declared length.
 */
const firstBytes = 64 * 1024;
/**
 * The growth factor for the memory of a body with a declared length. When the memory is full, it is enlarged to
 * this many times the bytes that have arrived, but at most to the declared length. All of this memory counts
 * against the budget: allocated memory that was in use before takes space even where the body has not written to
 * it yet.
 */
const growth = 4;
/**
 * The growth factor for bodies of at most `shortBytes` bytes, used instead of `growth`. The memory of such a
 * body reaches its final size after the first 64 KiB have arrived, so almost no byte is copied twice.
 */
const shortGrowth = 16;
const shortBytes = 1024 * 1024;
/**
 * The growth factor for the memory of a body with an unknown length: full memory is enlarged to this many times
 * the bytes that have arrived. It is smaller than `growth`, because the body may end at any moment.
 */
const undeclaredGrowth = 2;
/**
 * The size in bytes at which a body of unknown length is moved to memory `longGrowth` times as large. The larger
 * memory is almost always enough, so the body need not be moved again, which would need memory for two copies of
 * the body. The unused part of the larger memory takes no space, because the operating system provides a page of
 * a large allocation only when the page is written to. So only the bytes that have arrived count against the
 * memory budget of bodies.
 */
const longBytes = 2 * 1024 * 1024;
const longGrowth = 32;

/**
 * Returns the size in bytes of the new memory for a body of which `needed` bytes have arrived. `length`: the length
 * that the client declared.
 */
function memoryFor(needed: number, cap: number, length?: number): number {
  if (length === undefined) {
    return Math.min(cap, Math.max(firstBytes, needed * (needed > longBytes ? longGrowth : undeclaredGrowth)));
  }
  return Math.min(length, Math.max(firstBytes, needed * (length > shortBytes ? growth : shortGrowth)));
}

const noBytes: Uint8Array = new Uint8Array(0);

/** Returns new memory of `wanted` bytes. Copies the first `size` bytes of `body` to its beginning. */
function enlarged(body: Uint8Array, size: number, wanted: number): Uint8Array {
  const larger = new Uint8Array(Buffer.allocUnsafeSlow(wanted).buffer);
  setOwnMemory(larger);
  larger.set(body.subarray(0, size));
  return larger;
}

/**
 * Returns the error for a body that arrives too slowly. The answer with this error closes the connection,
 * because the remaining bytes would arrive just as slowly.
 */
function tooSlow(minBytesPerSecond: number): ApiError {
  return new ApiError("agent.bodyTooSlow", `the body comes with less than ${minBytesPerSecond} bytes per second`, {
    connection: "close",
  });
}

/** Maximum number of bytes that are read and discarded after a request was refused. */
const discardedBytes = 256 * 1024 * 1024;

/**
 * Reads the remaining bytes of a body and discards them. Otherwise a client that is still sending would see a broken
 * connection and not the refusal. Stops when the body comes too slowly.
 */
export async function discard(request: IncomingMessage, minBytesPerSecond: number): Promise<void> {
  let stop = () => {};
  const slow = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const pace = new Pace(minBytesPerSecond, stop);
  await Promise.race([discardAll(request, pace), slow]);
  pace.end();
}

async function discardAll(request: IncomingMessage, pace: Pace): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      pace.note(chunk.length);
      size += chunk.length;
      if (size > discardedBytes) return;
    }
  } catch {
    // The client has disconnected. The error is ignored, because nobody waits for an answer.
  }
}

/**
 * Decompresses a body; returns a body in zstd unchanged, because it is decompressed later. Reserves memory for
 * the output through `held` (the request's share of the memory budget for bodies): first the declared length of
 * the output, then more when the output is longer. For zstd, reserves the memory that the later decompression
 * needs. The returned body may share its memory with other bodies. Stops when the signal of `caller` aborts.
 * Throws ApiError.
 */
export async function decompress(
  body: Uint8Array,
  encoding: Encoding,
  cap: number,
  held: Reservation,
  caller?: { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  if (encoding === "") return body;
  if (encoding === "zstd") {
    let bytes: number;
    try {
      bytes = zstdLength(body, cap);
    } catch (error) {
      throw zstdRefusal(error, cap);
    }
    held.grow(bytes);
    return body;
  }
  const signal = caller?.signal;
  const declared = Math.min(declaredBytes(body, encoding), cap);
  if (signal?.aborted) throw new ApiError("agent.decodeBodyFailed");
  if (declared > 0) held.grow(declared);
  const stream = decompressor(body, encoding, declared);
  const end = () => void stream.destroy();
  signal?.addEventListener("abort", end, { once: true });
  try {
    const plain = await collect(stream, cap, held, { reserved: declared, minBytesPerSecond: 0, isFullPiece });
    setOwnMemory(plain);
    return plain;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError("agent.decodeBodyFailed");
  } finally {
    signal?.removeEventListener("abort", end);
    stream.destroy();
  }
}

/**
 * Decompresses a body in any encoding, including zstd, on this thread. Pauses at intervals, so that the thread
 * can do other work. Services without worker threads for decompression use this function.
 */
export async function decompressInTurns(
  body: Uint8Array,
  encoding: Encoding,
  cap: number,
  held: Reservation,
  caller?: { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const plain = await decompress(body, encoding, cap, held, caller);
  if (encoding !== "zstd") return plain;
  const turn = async () => {
    await nextTurn();
    caller?.signal.throwIfAborted();
  };
  return await decompressZstdInTurns(plain, { cap, turnBytes, turn }).catch((error: unknown) => {
    throw zstdRefusal(error, cap);
  });
}

function zstdRefusal(error: unknown, cap: number): ApiError {
  return error instanceof ZstdTooLarge ? tooLarge(cap) : new ApiError("agent.decodeBodyFailed");
}

export function tooLarge(cap: number): ApiError {
  return new ApiError("agent.bodyTooLarge", `body exceeds ${cap} bytes`);
}

/**
 * The size in bytes of the memory chunks into which the output is written when the body does not declare the
 * length of its output.
 */
const pieceBytes = 128 * 1024;
const leastPieceBytes = 16 * 1024;
/** Average number of bytes that are decompressed before the thread may do other work. */
const turnBytes = 1024 * 1024;
/** Largest possible ratio of output bytes to compressed bytes in the compression format deflate. */
const mostPerByte = 1032;

/**
 * Returns the length in bytes of the decompressed output that the body declares; 0 when it declares none. The
 * result is never larger than the output that a compressed body of this size can produce.
 */
function declaredBytes(body: Uint8Array, encoding: "gzip" | "deflate" | "br"): number {
  if (encoding !== "gzip" || body.length < 4) return 0;
  const declared = new DataView(body.buffer, body.byteOffset + body.length - 4).getUint32(0, true);
  return Math.min(declared, body.length * mostPerByte);
}

/**
 * Creates the stream that decompresses the body. `declared`: the length in bytes of the output as declared in
 * the body, or 0. When the output has the declared length, it arrives as one chunk of memory.
 */
function decompressor(body: Uint8Array, encoding: "gzip" | "deflate" | "br", declared: number): Transform {
  // With a declared length, a chunk of memory is one byte longer than the output: when a chunk becomes full, the
  // stream would allocate another one.
  const chunkSize = declared === 0 ? pieceBytes : Math.max(leastPieceBytes, declared + 1);
  switch (encoding) {
    case "gzip":
      return pipeBody(createGunzip({ chunkSize }), body, declared);
    case "br":
      return pipeBody(createBrotliDecompress({ chunkSize }), body, declared);
    case "deflate":
      // Data in zlib format begins with two header bytes, which are skipped here; the checksum at its end is not
      // verified.
      return pipeBody(createInflateRaw({ chunkSize }), hasZlibHeader(body) ? body.subarray(2) : body, declared);
  }
}

/**
 * Writes the body to the stream in several parts, so that the decompression can be stopped between two parts and
 * other streams can be processed.
 */
function pipeBody(stream: Transform, body: Uint8Array, declared: number): Transform {
  const bytes = Math.ceil((body.length * turnBytes) / Math.max(declared, turnBytes));
  for (let at = 0; at < body.length; at += bytes) stream.write(body.subarray(at, at + bytes));
  stream.end();
  return stream;
}

/**
 * Returns whether a chunk of output ends at the end of its memory. If it does, the stream writes further output
 * to new memory, so the memory of the chunk can be freed after the chunk was copied.
 */
function isFullPiece({ buffer, byteOffset, length }: Uint8Array): boolean {
  return buffer.byteLength === pieceBytes && byteOffset + length === pieceBytes;
}

function hasZlibHeader(body: Uint8Array): boolean {
  if (body.length < 2) return false;
  return (body[0] & 0x0f) === 8 && (body[0] & 0x80) === 0 && ((body[0] << 8) | body[1]) % 31 === 0;
}

interface CollectOptions {
  /** The length in bytes that the client declared. (Node delivers no more bytes than declared.) */
  readonly length?: number;
  /** Number of bytes that the caller has already reserved for this body in the memory budget of request bodies. */
  readonly reserved?: number;
  /**
   * The slowest allowed speed of the body in bytes per second; 0 = any speed. When absent, the limit of the body's
   * reservation in the memory budget applies.
   */
  readonly minBytesPerSecond?: number;
  /**
   * Returns whether the stream will write no more data to the memory of the chunk. This memory can then be freed
   * after the chunk was copied.
   */
  readonly isFullPiece?: (chunk: Uint8Array) => boolean;
}

/**
 * Reads all bytes of a stream into one body. A chunk that is the whole body, and chunks that lie next to each other in
 * memory, are not copied.
 */
function collect(
  stream: Readable,
  cap: number,
  held: Reservation,
  { length, reserved = 0, minBytesPerSecond = held.minBytesPerSecond, isFullPiece = () => false }: CollectOptions,
): Promise<Uint8Array> {
  if (stream.destroyed) return Promise.reject(endedEarly());
  return new Promise((resolve, reject) => {
    let body = noBytes;
    let size = 0;
    let most = reserved;
    /** Pieces of memory whose data has been copied into the body. For a long body, they are freed at once. */
    const full: ArrayBuffer[] = [];
    const reserve = (bytes: number) => {
      if (bytes <= most) return;
      held.grow(bytes - most);
      most = bytes;
    };
    const leave = () => {
      pace.end();
      stream.off("data", take).off("end", end).off("error", fail).off("close", close);
    };
    const fail = (error: Error) => {
      leave();
      freeOwn(body);
      reject(error);
    };
    const take = (chunk: Uint8Array) => {
      pace.note(chunk.length);
      const needed = size + chunk.length;
      try {
        if (needed > cap) throw tooLarge(cap);
        // Only the arrived bytes of such a body are reserved, and its copied memory is freed at once (see `longBytes`).
        const isLong = length === undefined && needed > longBytes;
        if (size === 0 && (length === undefined || length === needed)) {
          reserve(needed);
          body = chunk;
        } else if (follows(body, size, chunk)) {
          reserve(needed);
          body = new Uint8Array(body.buffer, body.byteOffset, needed);
        } else {
          if (isLong) reserve(needed);
          if (needed > body.length) {
            const wanted = memoryFor(needed, cap, length);
            if (!isLong) reserve(wanted);
            const before = body;
            body = enlarged(before, size, wanted);
            if (isLong) freeOwn(before);
          }
          body.set(chunk, size);
          // Node gives each chunk memory that no other data uses.
          if (length !== undefined) freeWhole(chunk);
          if (isFullPiece(chunk)) full.push(chunk.buffer as ArrayBuffer);
          if (isLong) for (const piece of full.splice(0)) free(piece);
        }
      } catch (error) {
        // The stream is paused and not closed, because the refusal of the body must still reach the client through the
        // connection.
        stream.pause();
        return fail(error as Error);
      }
      size = needed;
      if (size === length) end();
    };
    const end = () => {
      leave();
      // An empty body gets an array of its own: the constant `noBytes` is shared, so it must not be transferred to
      // another thread.
      resolve(size === 0 ? new Uint8Array(0) : body.subarray(0, size));
    };
    // Node emits the event "close" also after a whole body has arrived, but then nobody listens to the event any more.
    const close = () => fail(endedEarly());
    const pace = new Pace(minBytesPerSecond, () => fail(tooSlow(minBytesPerSecond)));
    stream.on("data", take).on("error", fail).on("close", close);
    // A body of declared length ends with its last byte.
    if (length === undefined) stream.on("end", end);
  });
}

/** Returns whether a chunk lies directly after the first `size` bytes of the body, in the same memory. */
function follows(body: Uint8Array, size: number, chunk: Uint8Array): boolean {
  return chunk.buffer === body.buffer && chunk.byteOffset === body.byteOffset + size;
}

function endedEarly(): Error {
  return new Error("the stream ended early");
}
