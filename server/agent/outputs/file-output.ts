// Appends points to files when no gateway is configured: <data-dir>/output/<category>.lp, readable only by the owner. A
// file that reaches its maximum size is renamed to `<category>.<time>-<count>.lp`. When all files together exceed the
// largest allowed total size, the oldest renamed files are deleted.
//
// A write is answered when its lines are written and synced. Writes that arrive meanwhile are then written and synced
// together. When writing fails, the file is truncated to its previous size and the writes are refused. A file may still
// end with an incomplete line, when the truncation failed too or a process was killed. That line is cut off before the
// next append, since otherwise the next line would continue it.

import { fstatSync } from "node:fs";
import { type FileHandle, open, readdir, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { CategoryName } from "../../../lib/point/index.ts";
import { ApiError } from "../../http/errors.ts";
import { realFiles } from "../../queue/log/files.ts";
import { withOwnBody } from "../../queue/log/pending.ts";
import { makePrivateFolder, narrow, privateFileMode } from "../../queue/private-files.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Batch } from "./batch.ts";
import type { Output } from "./output.ts";
import { createRefusalLog } from "./refusal-log.ts";

export interface OutputOptions {
  readonly folder: string;
  readonly fileBytes: number;
  readonly totalBytes: number;
  /**
   * Whether lines are synced to the disk before a write is answered. If not, a write is answered when the operating
   * system has the lines.
   */
  readonly syncs: boolean;
  /** Returns the current time in milliseconds since 1970. */
  readonly now?: () => number;
  readonly log: Log;
  readonly onWritten: (batch: Batch) => void;
  /** Called with the size in bytes of a renamed file that was deleted to keep the total size within its limit. */
  readonly onDropped: (bytes: number) => void;
  /**
   * Called when encoded points could not be written to a file. The request that brought these points is refused then.
   */
  readonly onFailed: (batch: Batch) => void;
  /** Called when writing to a file fails for the first time after it succeeded. */
  readonly onUnwritable: (category: string, error: Error) => void;
}

interface Category {
  /** Size of the output file in bytes when it was last checked. */
  size: number;
  /** Reason and time of the last failed write; the file may then end with an incomplete line. */
  failure: { readonly reason: string; readonly at: number } | undefined;
  readonly waiting: Put[];
  /**
   * Promise that settles when the write in progress has ended, and never rejects; undefined when no write is in
   * progress.
   */
  writing: Promise<void> | undefined;
}

interface RotatedFile {
  readonly file: string;
  readonly size: number;
}

interface Put {
  readonly batches: readonly Batch[];
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

/**
 * Milliseconds for which /readyz reports a failed write as a problem of the output. A write that arrives in this time
 * still tries the file again.
 */
const loggedMs = 30_000;
/** Largest number of bytes of waiting writes that are written and synced together. */
const groupBytes = 4 * 1024 * 1024;

export async function createFileOutput(options: OutputOptions): Promise<Output> {
  makePrivateFolder(options.folder);
  const output = new FileOutput(options, await existingRotated(options.folder));
  await output.findFiles();
  return output;
}

class FileOutput implements Output {
  readonly wantsCompressed = false;
  private readonly options: OutputOptions;
  private readonly logRefused: ReturnType<typeof createRefusalLog>;
  private readonly now: () => number;
  private readonly categories = new Map<string, Category>();
  /** Output files that were renamed because they are full, oldest first. */
  private readonly rotated: RotatedFile[];
  /** Size in bytes of all output files together. */
  private total: number;
  /** Number of output files that were renamed since the start of the process. */
  private count = 0;

  constructor(options: OutputOptions, rotated: RotatedFile[]) {
    this.options = options;
    this.logRefused = createRefusalLog(options.log, "output");
    this.now = options.now ?? (() => performance.now());
    this.rotated = rotated;
    this.total = rotated.reduce((sum, file) => sum + file.size, 0);
  }

  /**
   * Prepares the files that an earlier process left, so that lines can be appended to them: notes their sizes and cuts
   * off incomplete last lines.
   */
  async findFiles(): Promise<void> {
    const { folder, log } = this.options;
    for (const file of await readdir(folder)) {
      const name = /^([a-z_]+)\.lp$/.exec(file)?.[1];
      if (name === undefined) continue;
      const category = this.categoryOf(name);
      narrow(path.join(folder, file));
      await this.mend(name, category).catch((error: Error) => {
        this.fail(name, category, error);
        log.error(`output: ${file} cannot be written to: ${error.message}`);
      });
    }
  }

  put(batches: readonly Batch[]): Promise<void> {
    return batches.length === 1 ? this.putInto(batches[0]!.category, batches) : this.putAll(batches);
  }

  queues(): [] {
    return [];
  }

  problems(): string[] {
    return [...this.categories].flatMap(([name, { failure }]) =>
      failure === undefined || this.now() - failure.at > loggedMs
        ? []
        : [`the output file of ${name} could not be written: ${failure.reason}`],
    );
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.categories.values(), ({ writing }) => writing));
  }

  private async putAll(batches: readonly Batch[]): Promise<void> {
    const puts = Array.from(byCategory(batches), ([name, own]) => this.putInto(name, own));
    const failed = (await Promise.allSettled(puts)).find(({ status }) => status === "rejected");
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  /**
   * Appends the batches (encoded points) to the output file of their category: either all of them or, after an error,
   * none. Rejects with ApiError.
   */
  private putInto(name: CategoryName, given: readonly Batch[]): Promise<void> {
    const batches = given.map(withOwnBody);
    const category = this.categoryOf(name);
    const kept = new Promise<void>((done, failed) => category.waiting.push({ batches, done, failed }));
    category.writing ??= this.write(name, category);
    return kept.catch((error: Error) => {
      for (const batch of batches) this.options.onFailed(batch);
      this.logRefused(name, pointsOf(batches), error.message);
      const message = `the output file could not be written: ${reasonOf(error)}`;
      throw new ApiError("agent.queueFailed", message, { "retry-after": "5" });
    });
  }

  /**
   * Writes the waiting batches (encoded points) of a category to its file until none is left. In each step, writes as
   * many of them together as `groupBytes` allows.
   */
  private async write(name: CategoryName, category: Category): Promise<void> {
    while (category.waiting.length > 0) {
      const group = takeGroup(category.waiting);
      try {
        await this.append(
          name,
          group.flatMap(({ batches }) => batches),
          category,
        );
        for (const { done } of group) done();
      } catch (error) {
        this.fail(name, category, error as Error);
        for (const { failed } of group) failed(error as Error);
      }
    }
    category.writing = undefined;
  }

  private async append(name: string, batches: readonly Batch[], category: Category): Promise<void> {
    const { fileBytes, totalBytes, onWritten } = this.options;
    const parts = await linesOf(batches);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (category.failure !== undefined) await this.mend(name, category);
    let file = await open(this.fileOf(name), "a", privateFileMode);
    try {
      // fstatSync reads only memory of the operating system, so it does not block this thread for long.
      this.setSize(category, fstatSync(file.fd).size);
      if (category.size > 0 && category.size + length > fileBytes) {
        await file.close();
        await this.rotate(name, category);
        file = await open(this.fileOf(name), "a", privateFileMode);
      }
      await this.extend(file, parts, category.size);
    } finally {
      await file.close();
    }
    this.setSize(category, category.size + length);
    category.failure = undefined;
    for (const batch of batches) onWritten(batch);
    while (this.total > totalBytes && this.rotated.length > 0) await this.dropOldest();
  }

  /** Appends all of the bytes to the file. On failure, truncates the file to its previous size and throws the error. */
  private async extend(file: FileHandle, parts: readonly Uint8Array[], size: number): Promise<void> {
    const { syncs, folder } = this.options;
    try {
      await appendAll(file, parts);
      if (!syncs) return;
      await synced(file);
      // A file of size 0 has just been created. Syncing the folder makes the name of the new file durable.
      if (size === 0) await realFiles.syncFolder(folder);
    } catch (error) {
      // When truncating fails, the output file keeps an incomplete line. The next write cuts this line off.
      await file.truncate(size).catch(() => {});
      throw error;
    }
  }

  private async rotate(name: string, category: Category): Promise<void> {
    const time = new Date().toISOString().replace(/[-:.]/g, "");
    const count = String(++this.count).padStart(6, "0");
    const target = path.join(this.options.folder, `${name}.${time}-${count}.lp`);
    await rename(this.fileOf(name), target);
    this.rotated.push({ file: target, size: category.size });
    category.size = 0;
  }

  private async dropOldest(): Promise<void> {
    const { log, totalBytes, onDropped } = this.options;
    const { file, size } = this.rotated.shift()!;
    this.total -= size;
    await unlink(file).catch((error: Error) => log.error(`output: ${file} is not deleted: ${error.message}`));
    onDropped(size);
    log.warn(`output: ${path.basename(file)} (${size} bytes) dropped, the total reached ${totalBytes} bytes`);
  }

  /** Cuts off the last line of an output file when it is incomplete. */
  private async mend(name: string, category: Category): Promise<void> {
    const { size, cut } = await endAtLine(this.fileOf(name));
    this.setSize(category, size);
    if (cut > 0) this.options.log.warn(`output: ${name}.lp ended within a line, ${cut} bytes cut off`);
  }

  private fail(name: string, category: Category, error: Error): void {
    if (category.failure === undefined) this.options.onUnwritable(name, error);
    category.failure = { reason: reasonOf(error), at: this.now() };
  }

  private categoryOf(name: string): Category {
    let category = this.categories.get(name);
    if (category === undefined) {
      category = { size: 0, failure: undefined, waiting: [], writing: undefined };
      this.categories.set(name, category);
    }
    return category;
  }

  private setSize(category: Category, size: number): void {
    this.total += size - category.size;
    category.size = size;
  }

  private fileOf(name: string): string {
    return path.join(this.options.folder, `${name}.lp`);
  }
}

const newline = Buffer.from("\n");
const gunzip = promisify(zlib.gunzip);

/** Returns the byte ranges that hold the lines of the batches, in order. */
async function linesOf(batches: readonly Batch[]): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (const { body, gzip } of batches) parts.push(gzip === true ? await gunzip(body) : body, newline);
  return parts;
}

/** Largest number of byte ranges that Linux accepts in one write call. */
const mostParts = 1024;

/**
 * Appends the bytes of all given ranges to the file without copying them first. The file must be open for appending.
 */
async function appendAll(file: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  for (let at = 0, skipped = 0; at < parts.length; ) {
    const group = parts.slice(at, at + mostParts);
    group[0] = group[0]!.subarray(skipped);
    let { bytesWritten: left } = await file.writev(group);
    left += skipped;
    while (at < parts.length && left >= parts[at]!.length) left -= parts[at++]!.length;
    skipped = left;
  }
}

function byCategory(batches: readonly Batch[]): Map<CategoryName, Batch[]> {
  const categories = new Map<CategoryName, Batch[]>();
  for (const batch of batches) {
    const known = categories.get(batch.category);
    if (known === undefined) categories.set(batch.category, [batch]);
    else known.push(batch);
  }
  return categories;
}

function pointsOf(batches: readonly Batch[]): number {
  return batches.reduce((sum, { points }) => sum + points, 0);
}

/**
 * Returns the reason of an error as clients may see it. A system error may contain a path, so only its code is shown.
 */
function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** Removes the first writes from `waiting` and returns them: as many writes as may be written to the file together. */
function takeGroup(waiting: Put[]): Put[] {
  let bytes = 0;
  const end = waiting.findIndex(({ batches }) => {
    bytes += batches.reduce((sum, { body }) => sum + body.length, 0);
    return bytes > groupBytes;
  });
  return waiting.splice(0, end < 0 ? waiting.length : Math.max(1, end));
}

async function synced(file: FileHandle): Promise<void> {
  try {
    await file.datasync();
  } catch (error) {
    // Syncing a pipe or a terminal fails with the error EINVAL. This error is ignored, because neither can be synced.
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  }
}

/**
 * Cuts off an incomplete last line of a file. Returns the size of the file (0 when there is no file) and the number of
 * bytes that were cut off.
 */
async function endAtLine(name: string): Promise<{ readonly size: number; readonly cut: number }> {
  let file: FileHandle;
  try {
    file = await open(name, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { size: 0, cut: 0 };
    throw error;
  }
  try {
    const { size } = await file.stat();
    const end = await endOfLines(file, size);
    if (end < size) await file.truncate(end);
    return { size: end, cut: size - end };
  } finally {
    await file.close();
  }
}

/** Returns the offset after the last newline of a file. */
async function endOfLines(file: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(64 * 1024);
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, to - from, from);
    const at = chunk.subarray(0, bytesRead).lastIndexOf("\n");
    if (at >= 0) return from + at + 1;
    to = from;
  }
  return 0;
}

async function existingRotated(folder: string): Promise<RotatedFile[]> {
  const files = [];
  for (const name of await readdir(folder)) {
    if (!/^[a-z_]+\.\d+T\d+Z-\d+\.lp$/.test(name)) continue;
    const file = path.join(folder, name);
    const { size, mtimeMs } = await stat(file);
    files.push({ file, size, mtimeMs });
  }
  return files.sort((a, b) => a.mtimeMs - b.mtimeMs);
}
