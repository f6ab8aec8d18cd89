// Reads a request's body and undoes its compression, both under a size cap and the in-flight budget
// (agent document, A.3.4 steps 4 and 5). Zstd is left to the worker: Node 20 has no decoder of its own.

import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflateRaw } from "node:zlib";
import { takeMemory } from "./body-memory.ts";
import { ApiError } from "./errors.ts";
import type { Reservation } from "./inflight.ts";

export type Encoding = "" | "gzip" | "deflate" | "br" | "zstd";

/** The encoding by its exact name; an unknown one is refused. */
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

/** The body as sent, in memory that others may use too. A length that the header declares is reserved before a byte is read. */
export function readBody(request: IncomingMessage, cap: number, held: Reservation): Promise<Uint8Array> {
  const declared = request.headers["content-length"];
  return declared === undefined ? readChunked(request, cap, held) : readDeclared(request, Number(declared), cap, held);
}

async function readChunked(request: IncomingMessage, cap: number, held: Reservation): Promise<Uint8Array> {
  try {
    return await collect(request, cap, (bytes) => held.grow(bytes));
  } catch (error) {
    return await refuse(request, error);
  }
}

/** Node lets no more come than what is declared. */
function readDeclared(request: IncomingMessage, length: number, cap: number, held: Reservation): Promise<Uint8Array> {
  try {
    if (length > cap) throw tooLarge(cap);
    held.grow(length);
  } catch (error) {
    return refuse(request, error);
  }
  return new Promise((resolve, reject) => {
    let body: Uint8Array | undefined;
    let size = 0;
    const take = (chunk: Uint8Array) => {
      if (chunk.length === length) body = chunk;
      else (body ??= takeMemory(length)).set(chunk, size);
      size += chunk.length;
      if (size === length) resolve(body);
    };
    // A request that has all of its body is closed, too.
    const close = () => {
      if (size < length) reject(endedEarly());
    };
    if (length === 0) return resolve(new Uint8Array(0));
    if (request.destroyed) return close();
    request.on("data", take).on("close", close);
  });
}

/** Before a client is told that its body is refused. */
async function refuse(request: IncomingMessage, error: unknown): Promise<never> {
  if (error instanceof ApiError) await discard(request);
  throw error;
}

/** What a refused client may still send, in bytes. */
const discardedBytes = 256 * 1024 * 1024;

/**
 * Reads on without keeping anything: a client that is cut off while it sends gets a broken connection instead of the
 * refusal. The request's timeout bounds the time.
 */
export async function discard(request: IncomingMessage): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > discardedBytes) return;
    }
  } catch {
    // The client has gone; nobody is left to be told.
  }
}

/** The body without its compression. `""` and `zstd` come back as they are. The signal of `caller` ends the work. */
export async function decompress(
  body: Uint8Array,
  encoding: Encoding,
  cap: number,
  held: Reservation,
  caller?: { readonly signal: AbortSignal },
): Promise<Uint8Array> {
  if (encoding === "" || encoding === "zstd") return body;
  const signal = caller?.signal;
  const stream = decompressor(body, encoding);
  const end = () => void stream.destroy();
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end, { once: true });
  try {
    return await collect(stream, cap, (bytes) => held.grow(bytes));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError("agent.decodeBodyFailed");
  } finally {
    signal?.removeEventListener("abort", end);
    stream.destroy();
  }
}

export function tooLarge(cap: number): ApiError {
  return new ApiError("agent.bodyTooLarge", `body exceeds ${cap} bytes`);
}

const options = { chunkSize: 128 * 1024 };

function decompressor(body: Uint8Array, encoding: "gzip" | "deflate" | "br"): Transform {
  switch (encoding) {
    case "gzip":
      return feed(createGunzip(options), body);
    case "br":
      return feed(createBrotliDecompress(options), body);
    case "deflate":
      // The zlib form is told by its two header bytes, which are skipped; its checksum is not verified.
      return feed(createInflateRaw(options), hasZlibHeader(body) ? body.subarray(2) : body);
  }
}

function feed(stream: Transform, body: Uint8Array): Transform {
  stream.end(body);
  return stream;
}

function hasZlibHeader(body: Uint8Array): boolean {
  if (body.length < 2) return false;
  return (body[0] & 0x0f) === 8 && (body[0] & 0x80) === 0 && ((body[0] << 8) | body[1]) % 31 === 0;
}

/** All bytes of a stream. */
function collect(stream: Readable, cap: number, account: (bytes: number) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let chunks: Uint8Array[] = [];
    let size = 0;

    const leave = () => {
      stream.off("data", take).off("end", end).off("error", fail).off("close", close);
    };
    const fail = (error: Error) => {
      leave();
      chunks = [];
      reject(error);
    };
    const take = (chunk: Uint8Array) => {
      try {
        if (size + chunk.length > cap) throw tooLarge(cap);
        account(chunk.length);
      } catch (error) {
        // A refusal must still reach the client, so the connection is not torn down here.
        stream.pause();
        return fail(error as Error);
      }
      chunks.push(chunk);
      size += chunk.length;
    };
    const end = () => {
      leave();
      resolve(joined(chunks, size));
    };
    const close = () => fail(endedEarly());
    if (stream.destroyed) return close();
    stream.on("data", take).on("end", end).on("error", fail).on("close", close);
  });
}

function endedEarly(): Error {
  return new Error("the stream ended early");
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
