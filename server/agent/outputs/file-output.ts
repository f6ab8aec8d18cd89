// Where points go without a gateway: <data-dir>/output/<category>.lp, appended, for their owner only. A file that reaches its size is renamed
// `<category>.<time>-<count>.lp`; when all of them together exceed the total, the oldest renamed ones are deleted.
//
// A write is answered when its lines are in the file and synced; those that come meanwhile are the next to be written and synced, together.
// When that fails, the file gets its size of before, and the writes are refused. Of a file that could not be put back, or that a killed
// process left, a last line without an end is cut off before anything is appended: no line is glued to it, and no reader takes it for a
// point.

import { fstatSync } from "node:fs";
import { type FileHandle, open, readdir, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { CategoryName } from "../../../lib/point/category.ts";
import { ApiError } from "../../http/errors.ts";
import { realFiles } from "../../queue/log/files.ts";
import { withOwnBody } from "../../queue/log/pending.ts";
import { makePrivateFolder, narrow, privateFileMode } from "../../queue/private-files.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Batch } from "./batch.ts";
import type { Outlet } from "./output.ts";
import { createRefusalLog } from "./refusal-log.ts";

export interface OutputOptions {
  readonly folder: string;
  readonly fileBytes: number;
  readonly totalBytes: number;
  /** Otherwise the system has the lines when a write is answered. */
  readonly syncs: boolean;
  /** Milliseconds. */
  readonly now?: () => number;
  readonly log: Log;
  readonly onWritten: (batch: Batch) => void;
  /** A file was deleted to keep the total. */
  readonly onDropped: (bytes: number) => void;
  /** Points could not be written; who gave them is told. */
  readonly onFailed: (batch: Batch) => void;
  /** A file could be written before, and cannot be now. */
  readonly onUnwritable: (category: string, error: Error) => void;
}

interface Category {
  /** Of the file, when it was last looked at. */
  size: number;
  /** Why nothing could be written the last time, and when. What that left may end within a line. */
  failure: { readonly reason: string; readonly at: number } | undefined;
  readonly waiting: Put[];
  /** Undefined when nothing is written; it never rejects. */
  writing: Promise<void> | undefined;
}

interface Put {
  readonly batches: readonly Batch[];
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

/** After this long nobody knows whether the next write would fail: who asks before sending is to try. */
const toldMs = 30_000;
/** Bodies that are written together. */
const groupBytes = 4 * 1024 * 1024;

export async function createFileOutput(options: OutputOptions): Promise<Outlet> {
  const { folder, log, now = () => performance.now() } = options;
  makePrivateFolder(folder);
  const categories = new Map<string, Category>();
  /** Renamed files, oldest first. */
  const rotated = await existingRotated(folder);
  let total = rotated.reduce((sum, file) => sum + file.size, 0);
  let count = 0;

  const tellRefused = createRefusalLog(log, "output");

  const fileOf = (name: string) => path.join(folder, `${name}.lp`);

  const setSize = (category: Category, size: number): void => {
    total += size - category.size;
    category.size = size;
  };

  const categoryOf = (name: string): Category => {
    let category = categories.get(name);
    if (category === undefined) {
      category = { size: 0, failure: undefined, waiting: [], writing: undefined };
      categories.set(name, category);
    }
    return category;
  };

  const fail = (name: string, category: Category, error: Error): void => {
    if (category.failure === undefined) options.onUnwritable(name, error);
    category.failure = { reason: reasonOf(error), at: now() };
  };

  const mend = async (name: string, category: Category): Promise<void> => {
    const { size, cut } = await endAtLine(fileOf(name));
    setSize(category, size);
    if (cut > 0) log.warn(`output: ${name}.lp ended within a line, ${cut} bytes cut off`);
  };

  for (const file of await readdir(folder)) {
    const name = /^([a-z_]+)\.lp$/.exec(file)?.[1];
    if (name === undefined) continue;
    const category = categoryOf(name);
    narrow(path.join(folder, file));
    await mend(name, category).catch((error: Error) => {
      fail(name, category, error);
      log.error(`output: ${file} cannot be written to: ${error.message}`);
    });
  }

  const append = async (name: string, batches: readonly Batch[], category: Category): Promise<void> => {
    const bytes = await linesOf(batches);
    if (category.failure !== undefined) await mend(name, category);
    let file = await open(fileOf(name), "a", privateFileMode);
    try {
      // Asks the system's memory, no device.
      setSize(category, fstatSync(file.fd).size);
      if (category.size > 0 && category.size + bytes.length > options.fileBytes) {
        await file.close();
        await rotate(name, category);
        file = await open(fileOf(name), "a", privateFileMode);
      }
      await extend(file, bytes, category.size);
    } finally {
      await file.close();
    }
    setSize(category, category.size + bytes.length);
    category.failure = undefined;
    for (const batch of batches) options.onWritten(batch);
    while (total > options.totalBytes && rotated.length > 0) await dropOldest();
  };

  const rotate = async (name: string, category: Category): Promise<void> => {
    const time = new Date().toISOString().replace(/[-:.]/g, "");
    const target = path.join(folder, `${name}.${time}-${String(++count).padStart(6, "0")}.lp`);
    await rename(fileOf(name), target);
    rotated.push({ file: target, size: category.size });
    category.size = 0;
  };

  const dropOldest = async (): Promise<void> => {
    const oldest = rotated.shift()!;
    total -= oldest.size;
    await unlink(oldest.file).catch((error: Error) =>
      log.error(`output: ${oldest.file} is not deleted: ${error.message}`),
    );
    options.onDropped(oldest.size);
    log.warn(
      `output: ${path.basename(oldest.file)} (${oldest.size} bytes) dropped, the total reached ${options.totalBytes} bytes`,
    );
  };

  /** Appends all of the bytes, or none where the file can be put back to its size. */
  const extend = async (file: FileHandle, bytes: Buffer, size: number): Promise<void> => {
    try {
      await file.appendFile(bytes);
      if (!options.syncs) return;
      await synced(file);
      // The name of a new file.
      if (size === 0) await realFiles.syncFolder(folder);
    } catch (error) {
      // Otherwise it is tried again before the next write.
      await file.truncate(size).catch(() => {});
      throw error;
    }
  };

  const write = async (name: CategoryName, category: Category): Promise<void> => {
    while (category.waiting.length > 0) {
      const group = takeGroup(category.waiting);
      try {
        await append(
          name,
          group.flatMap(({ batches }) => batches),
          category,
        );
        for (const { done } of group) done();
      } catch (error) {
        fail(name, category, error as Error);
        for (const { failed } of group) failed(error as Error);
      }
    }
    category.writing = undefined;
  };

  /** All of them are in the file, or none. */
  const put = (name: CategoryName, given: readonly Batch[]): Promise<void> => {
    const batches = given.map(withOwnBody);
    const category = categoryOf(name);
    const kept = new Promise<void>((done, failed) => category.waiting.push({ batches, done, failed }));
    category.writing ??= write(name, category);
    return kept.catch((error: Error) => {
      for (const batch of batches) options.onFailed(batch);
      tellRefused(name, pointsOf(batches), error.message);
      const message = `the output file could not be written: ${reasonOf(error)}`;
      throw new ApiError("agent.queueFailed", message, { "retry-after": "5" });
    });
  };

  const putAll = async (batches: readonly Batch[]): Promise<void> => {
    const puts = Array.from(byCategory(batches), ([name, own]) => put(name, own));
    const failed = (await Promise.allSettled(puts)).find(({ status }) => status === "rejected");
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  };

  return {
    wantsCompressed: false,
    put: (batches) => (batches.length === 1 ? put(batches[0]!.category, batches) : putAll(batches)),
    queues: () => [],
    problems: () =>
      [...categories].flatMap(([name, { failure }]) =>
        failure === undefined || now() - failure.at > toldMs
          ? []
          : [`the output file of ${name} could not be written: ${failure.reason}`],
      ),
    close: async () => {
      await Promise.all(Array.from(categories.values(), ({ writing }) => writing));
    },
  };
}

const newline = Buffer.from("\n");
const gunzip = promisify(zlib.gunzip);

async function linesOf(batches: readonly Batch[]): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (const { body, gzip } of batches) parts.push(gzip === true ? await gunzip(body) : body, newline);
  return Buffer.concat(parts);
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

/** For clients: the message of the system's errors may name a path. */
function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** The first that waits, and those behind it that fit. */
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
    // A pipe, or a terminal, in the file's place.
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  }
}

/** Cuts a last line without an end off the file. Gives the size, 0 of no file, and how many bytes were cut off. */
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

/** The offset behind the last newline. */
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

async function existingRotated(folder: string): Promise<{ file: string; size: number }[]> {
  const files = [];
  for (const name of await readdir(folder)) {
    if (!/^[a-z_]+\.\d+T\d+Z-\d+\.lp$/.test(name)) continue;
    const file = path.join(folder, name);
    const { size, mtimeMs } = await stat(file);
    files.push({ file, size, mtimeMs });
  }
  return files.sort((a, b) => a.mtimeMs - b.mtimeMs);
}
