// Reads a request's body and decompresses it, both under a size limit and the in-flight budget
// (docs/reference/agent.md#writes). The worker decompresses zstd: Node 20 has no decoder of its own.

import type { IncomingMessage } from "node:http";
import type { Readable, Transform } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBrotliDecompress, createGunzip, createInflateRaw } from "node:zlib";
import { createDeadlines, type Deadline } from "../deadlines.ts";
import { ApiError } from "../errors.ts";
import { free, freeBody, giveBack, memoryLength, setAlone, takeMemory } from "./body-memory.ts";
import type { Reservation } from "./inflight.ts";
import { decompressZstdInTurns, ZstdTooLarge, zstdLength } from "./zstd.ts";

export type Encoding = "" | "gzip" | "deflate" | "br" | "zstd";

/** Returns the encoding of this exact name. Throws an ApiError when it is unknown. */
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
 * Reads the body as it was sent. Its memory may be shared with other bodies. Its bytes are reserved in `held` as they
 * arrive. Throws ApiError when it is too large, too slow, or over the budget.
 */
export async function readBody(request: IncomingMessage, cap: number, held: Reservation): Promise<Uint8Array> {
  const declared = request.headers["content-length"];
  const pace = new Pace(held.minBytesPerSecond);
  try {
    if (declared === undefined) return await collect(request, cap, held, 0, pace);
    return await readDeclared(request, Number(declared), cap, held, pace);
  } catch (error) {
    if (error instanceof ApiError && error.code !== "agent.bodyTooSlow") await discard(request, held.minBytesPerSecond);
    throw error;
  } finally {
    pace.end();
  }
}

/** First memory of a body in bytes, unless its declared length is less. */
const firstBytes = 64 * 1024;
/** Growth of the memory of a body with a declared length, as a multiple of the bytes that have come. */
const growth = 4;
/** The same for a body of unknown length, which may not need all of the memory. */
const untoldGrowth = 2;
/**
 * From this length in bytes on, a body of unknown length gets memory that it hardly outgrows, so that it is not held
 * twice. The system provides a page of a long allocation only when it is written to, so the reservation counts only the
 * bytes that have come.
 */
const longBytes = 2 * 1024 * 1024;
const longGrowth = 32;

/** Reads a body of a declared length; Node delivers no more bytes than declared. */
function readDeclared(
  request: IncomingMessage,
  length: number,
  cap: number,
  held: Reservation,
  pace: Pace,
): Promise<Uint8Array> {
  if (length > cap) throw tooLarge(cap);
  return new Promise((resolve, reject) => {
    let body = noBytes;
    let size = 0;
    const leave = () => void request.off("data", take).off("close", close);
    const fail = (error: Error) => {
      leave();
      request.pause();
      giveBack(body);
      reject(error);
    };
    const take = (chunk: Uint8Array) => {
      pace.note(chunk.length);
      try {
        if (chunk.length === length) {
          held.grow(length);
          body = chunk;
        } else {
          const needed = size + chunk.length;
          if (needed > body.length) {
            const wanted = Math.min(length, Math.max(firstBytes, needed * growth));
            held.grow(wanted - body.length);
            const before = body;
            body = enlarged(before, size, wanted);
            giveBack(before);
          }
          body.set(chunk, size);
        }
      } catch (error) {
        return fail(error as Error);
      }
      size += chunk.length;
      if (size < length) return;
      pace.end();
      resolve(body);
    };
    // A request also emits "close" after its whole body has come.
    const close = () => {
      if (size < length) fail(endedEarly());
    };
    if (length === 0) return resolve(noBytes);
    if (request.destroyed) return close();
    request.on("data", take).on("close", close);
    pace.begin(fail);
  });
}

const noBytes: Uint8Array = new Uint8Array(0);

/** Returns new memory for `wanted` bytes that begins with the first `size` bytes of `body`. */
function enlarged(body: Uint8Array, size: number, wanted: number): Uint8Array {
  const larger = takeMemory(wanted);
  larger.set(body.subarray(0, size));
  return larger;
}

const paceMs = 10_000;
const deadlines = createDeadlines(paceMs);

/** Watches the speed of a body: enough bytes have to come in each `paceMs`. */
class Pace {
  private readonly minBytesPerSecond: number;
  private bytes = 0;
  private hasEnded = false;
  private deadline: Deadline | undefined;

  /** `minBytesPerSecond`: the least speed; 0 = any speed. */
  constructor(minBytesPerSecond: number) {
    this.minBytesPerSecond = minBytesPerSecond;
  }

  /** Begins to watch. Calls `fail` when the body comes too slowly. */
  begin(fail: (error: Error) => void): void {
    if (this.minBytesPerSecond === 0) return;
    this.deadline = deadlines.begin(performance.now(), () => {
      // When this thread was busy, bytes may wait in the socket: Node reads them before the immediate runs.
      setImmediate(() => this.check(fail));
    });
  }

  /** Counts bytes that have come. */
  note(bytes: number): void {
    this.bytes += bytes;
  }

  end(): void {
    this.hasEnded = true;
    this.deadline?.end();
  }

  private check(fail: (error: Error) => void): void {
    if (this.hasEnded) return;
    if (this.bytes < (this.minBytesPerSecond * paceMs) / 1000) fail(tooSlow(this.minBytesPerSecond));
    else {
      this.bytes = 0;
      this.begin(fail);
    }
  }
}

/** The answer closes the connection, because the rest of the body would come as slowly. */
function tooSlow(minBytesPerSecond: number): ApiError {
  return new ApiError("agent.bodyTooSlow", `the body comes with less than ${minBytesPerSecond} bytes per second`, {
    connection: "close",
  });
}

/** Most bytes that are read from a refused client. */
const discardedBytes = 256 * 1024 * 1024;

/**
 * Reads the rest of a body without keeping it: a client that is cut off while it sends sees a broken connection instead
 * of the refusal. Stops when the body comes too slowly.
 */
export async function discard(request: IncomingMessage, minBytesPerSecond: number): Promise<void> {
  const pace = new Pace(minBytesPerSecond);
  const slow = new Promise<void>((resolve) => pace.begin(() => resolve()));
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
    // The client has disconnected, so there is nobody to answer.
  }
}

/**
 * Returns the decompressed body. Its memory may be shared with other bodies. A declared length is reserved in `held` at
 * once, further bytes as they come. Returns bodies of encoding `""` and `zstd` unchanged; for `zstd` reserves the bytes
 * that decompression will need. The signal of `caller` ends the work. Throws ApiError.
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
  const told = Math.min(toldBytes(body, encoding), cap);
  if (signal?.aborted) throw new ApiError("agent.decodeBodyFailed");
  if (told > 0) held.grow(told);
  const stream = decompressor(body, encoding, told);
  const end = () => void stream.destroy();
  signal?.addEventListener("abort", end, { once: true });
  try {
    const plain = await collect(stream, cap, held, told, new Pace(0), isFullPiece);
    setAlone(plain);
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
 * Decompresses as `decompress` does, and also decompresses zstd, on this thread. For services whose worker threads do
 * not know encodings.
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

/** Length of the pieces of output when the length of the body is not declared. */
const pieceBytes = 128 * 1024;
const leastPieceBytes = 16 * 1024;
/** Average output of one turn of another thread, in bytes. */
const turnBytes = 1024 * 1024;
/** Most bytes that deflate makes of one byte. */
const mostPerByte = 1032;

/** Returns the declared length of the decompressed body, at most what is possible; 0 when it is not declared. */
function toldBytes(body: Uint8Array, encoding: "gzip" | "deflate" | "br"): number {
  if (encoding !== "gzip" || body.length < 4) return 0;
  const told = new DataView(body.buffer, body.byteOffset + body.length - 4).getUint32(0, true);
  return Math.min(told, body.length * mostPerByte);
}

/** Creates the stream that decompresses. Its output is one piece of memory when it is `told` bytes long. */
function decompressor(body: Uint8Array, encoding: "gzip" | "deflate" | "br", told: number): Transform {
  // One byte more: after a full piece the stream would allocate another one.
  const chunkSize = told === 0 ? pieceBytes : Math.max(leastPieceBytes, memoryLength(told + 1));
  switch (encoding) {
    case "gzip":
      return feed(createGunzip({ chunkSize }), body, told);
    case "br":
      return feed(createBrotliDecompress({ chunkSize }), body, told);
    case "deflate":
      // The zlib format is recognized by its two header bytes, which are skipped; its checksum is not verified.
      return feed(createInflateRaw({ chunkSize }), hasZlibHeader(body) ? body.subarray(2) : body, told);
  }
}

/**
 * Writes the body to the stream in pieces, so that the work can be ended between pieces and other streams get their
 * turn.
 */
function feed(stream: Transform, body: Uint8Array, told: number): Transform {
  const bytes = Math.ceil((body.length * turnBytes) / Math.max(told, turnBytes));
  for (let at = 0; at < body.length; at += bytes) stream.write(body.subarray(at, at + bytes));
  stream.end();
  return stream;
}

/**
 * Returns whether a piece of output is full. Then the stream begins another piece, and once this one is copied nobody
 * reads it.
 */
function isFullPiece({ buffer, byteOffset, length }: Uint8Array): boolean {
  return buffer.byteLength === pieceBytes && byteOffset + length === pieceBytes;
}

function hasZlibHeader(body: Uint8Array): boolean {
  if (body.length < 2) return false;
  return (body[0] & 0x0f) === 8 && (body[0] & 0x80) === 0 && ((body[0] << 8) | body[1]) % 31 === 0;
}

/**
 * Reads all bytes of a stream; `reserved` of them have already been reserved. Pieces that lie next to each other in
 * memory stay there, the others are copied.
 */
function collect(
  stream: Readable,
  cap: number,
  held: Reservation,
  reserved: number,
  pace = new Pace(0),
  isFullPiece: (chunk: Uint8Array) => boolean = () => false,
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let body = noBytes;
    let size = 0;
    let most = reserved;
    /** Pieces that have been copied. The pieces of a long body are freed at once. */
    const full: ArrayBuffer[] = [];
    const reserve = (bytes: number) => {
      if (bytes <= most) return;
      held.grow(bytes - most);
      most = bytes;
    };
    const leave = () => {
      stream.off("data", take).off("end", end).off("error", fail).off("close", close);
    };
    const fail = (error: Error) => {
      leave();
      giveBack(body);
      reject(error);
    };
    const take = (chunk: Uint8Array) => {
      pace.note(chunk.length);
      const needed = size + chunk.length;
      try {
        if (needed > cap) throw tooLarge(cap);
        reserve(needed);
        if (size === 0) body = chunk;
        else if (follows(body, size, chunk)) body = new Uint8Array(body.buffer, body.byteOffset, needed);
        else {
          if (needed > body.length) {
            const isLong = needed > longBytes;
            const wanted = Math.min(cap, Math.max(firstBytes, needed * (isLong ? longGrowth : untoldGrowth)));
            if (!isLong) reserve(wanted);
            const before = body;
            body = enlarged(before, size, wanted);
            if (isLong) freeBody(before);
            else giveBack(before);
          }
          body.set(chunk, size);
          if (isFullPiece(chunk)) full.push(chunk.buffer as ArrayBuffer);
          if (needed > longBytes) for (const piece of full.splice(0)) free(piece);
        }
      } catch (error) {
        // The refusal must still reach the client, so the connection stays open.
        stream.pause();
        return fail(error as Error);
      }
      size = needed;
    };
    const end = () => {
      leave();
      // An empty body gets its own memory: `noBytes` is shared and must not be transferred to another thread.
      resolve(size === 0 ? new Uint8Array(0) : body.subarray(0, size));
    };
    const close = () => fail(endedEarly());
    if (stream.destroyed) return close();
    stream.on("data", take).on("end", end).on("error", fail).on("close", close);
    pace.begin(fail);
  });
}

/** Returns whether a piece lies directly behind the first `size` bytes of a body, in the same memory. */
function follows(body: Uint8Array, size: number, chunk: Uint8Array): boolean {
  return chunk.buffer === body.buffer && chunk.byteOffset === body.byteOffset + size;
}

function endedEarly(): Error {
  return new Error("the stream ended early");
}
