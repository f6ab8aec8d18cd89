// Decompresses a gzip file step by step. Holds only the decompressed bytes that the next read needs, so that memory
// stays bounded, whatever the file contains.

import type { FileHandle } from "node:fs/promises";
import { createGunzip, type Gunzip } from "node:zlib";

/**
 * Number of compressed bytes that are decompressed at a time. Deflate expands bytes at most 1,032 times, so one step
 * makes at most about 8 MiB.
 */
const stepBytes = 8 * 1024;
/** Number of bytes to which any file may expand, even when it has very few compressed bytes. */
const freeBytes = 1024 * 1024 * 1024;
/** Largest ratio of decompressed to compressed bytes for a file that expands to more than `freeBytes`. */
const mostExpansion = 250;

/**
 * The state of the file after a read. `more`: the file has more bytes. `whole`: all bytes were read. `cut`: the
 * compressed data ends too early, because its writer is not finished or was stopped. `damaged`: the remaining bytes
 * cannot be decompressed. `bomb`: the file expands to more bytes than the limit, so the remaining bytes are not read.
 */
export type GzipState = "more" | "whole" | "cut" | "damaged" | "bomb";

export interface GzipLimits {
  readonly freeBytes: number;
  readonly mostExpansion: number;
}

type Readable = Pick<FileHandle, "read">;

export class GzipContent {
  private readonly handle: Readable;
  private readonly limits: GzipLimits;
  private gunzip: Gunzip | undefined;
  private state: GzipState = "more";
  private compressed = 0;
  /** Offset in the decompressed content at which the first of the `chunks` (decompressed bytes in memory) begins. */
  private start = 0;
  /** Offset in the decompressed content at which the last of the `chunks` (decompressed bytes in memory) ends. */
  private end = 0;
  private chunks: Uint8Array[] = [];
  /** Resolves the promise of the decompression step that is under way, or rejects it with an error. */
  private settle: (error?: NodeJS.ErrnoException) => void = () => {};

  constructor(handle: Readable, limits: GzipLimits = { freeBytes, mostExpansion }) {
    this.handle = handle;
    this.limits = limits;
  }

  /**
   * Fills `window` with the decompressed bytes from the offset `from` on. Returns the number of these bytes, and the
   * state of the file after the read. The number is less than the length of `window` only when the state is not `more`.
   * The content is decompressed again from its start when `from` is less than in an earlier call.
   */
  async read(window: Uint8Array, from: number): Promise<{ readonly length: number; readonly state: GzipState }> {
    if (from < this.start) this.close();
    const to = from + window.length;
    while (this.end < to && this.state === "more") {
      await this.step();
      this.dropBefore(from);
    }
    this.dropBefore(from);
    let length = 0;
    let skipped = from - this.start;
    for (const chunk of this.chunks) {
      const part = chunk.subarray(skipped, skipped + window.length - length);
      window.set(part, length);
      length += part.length;
      skipped = 0;
      if (length === window.length) break;
    }
    return { length, state: from + length < this.end ? "more" : this.state };
  }

  /** Releases the memory. The next call of `read` begins at the start of the file. */
  close(): void {
    this.gunzip?.destroy();
    this.gunzip = undefined;
    this.chunks = [];
    this.state = "more";
    this.compressed = this.start = this.end = 0;
  }

  private dropBefore(offset: number): void {
    let dropped = 0;
    for (const chunk of this.chunks) {
      if (this.start + chunk.length > offset) break;
      this.start += chunk.length;
      dropped++;
    }
    this.chunks.splice(0, dropped);
  }

  /** Reads the next compressed bytes of the file and decompresses them. */
  private async step(): Promise<void> {
    this.gunzip ??= this.opened();
    const { gunzip } = this;
    const input = Buffer.allocUnsafe(stepBytes);
    const { bytesRead } = await this.handle.read(input, 0, stepBytes, this.compressed);
    this.compressed += bytesRead;
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      this.settle = resolve;
      if (bytesRead > 0) gunzip.write(input.subarray(0, bytesRead), () => resolve(undefined));
      else gunzip.end();
    });
    if (error !== undefined) this.state = error.code === "Z_BUF_ERROR" ? "cut" : "damaged";
    else if (bytesRead === 0) this.state = "whole";
    else if (this.end > this.limits.freeBytes && this.end > this.limits.mostExpansion * this.compressed)
      this.state = "bomb";
  }

  private opened(): Gunzip {
    const gunzip = createGunzip({ chunkSize: 64 * 1024 });
    // Reads each chunk as soon as it is available. If the data has an error, the stream discards the chunks that were
    // not read until then.
    gunzip.on("data", (chunk: Uint8Array) => {
      this.chunks.push(chunk);
      this.end += chunk.length;
    });
    gunzip.on("end", () => this.settle());
    gunzip.on("error", (error) => this.settle(error));
    return gunzip;
  }
}
