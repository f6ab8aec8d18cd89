// Where points go without a gateway: <data-dir>/output/<category>.lp, appended. A file that reaches its size is renamed
// `<category>.<time>-<count>.lp`; when all of them together exceed the total, the oldest renamed ones are deleted.

import { mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Log } from "../http/log.ts";
import type { Outlet } from "./outlet.ts";
import type { Batch } from "./write/protocol.ts";

export interface OutputOptions {
  readonly folder: string;
  readonly fileBytes: number;
  readonly totalBytes: number;
  readonly log: Log;
  readonly onWritten: (batch: Batch) => void;
  /** A file was deleted to keep the total. */
  readonly onDropped: (bytes: number) => void;
  /** Points could not be written. */
  readonly onLost: (batch: Batch, reason: string) => void;
}

interface Category {
  size: number;
  /** Writes of one category follow each other. */
  last: Promise<void>;
}

export async function createFileOutput(options: OutputOptions): Promise<Outlet> {
  const { folder, log } = options;
  await mkdir(folder, { recursive: true });
  const categories = new Map<string, Category>();
  /** Renamed files, oldest first. */
  const rotated = await existingRotated(folder);
  let total = rotated.reduce((sum, file) => sum + file.size, 0);
  let count = 0;

  const fileOf = (name: string) => path.join(folder, `${name}.lp`);

  for (const name of await readdir(folder)) {
    if (!/^[a-z_]+\.lp$/.test(name)) continue;
    const { size } = await stat(path.join(folder, name));
    categories.set(name.slice(0, -3), { size, last: Promise.resolve() });
    total += size;
  }

  const append = async (batch: Batch, category: Category): Promise<void> => {
    const lines = batch.gzip === true ? await gunzip(batch.body) : batch.body;
    const bytes = Buffer.concat([lines, newline]);
    if (category.size > 0 && category.size + bytes.length > options.fileBytes) await rotate(batch.category, category);
    const file = await open(fileOf(batch.category), "a");
    try {
      await file.appendFile(bytes);
    } finally {
      await file.close();
    }
    category.size += bytes.length;
    total += bytes.length;
    options.onWritten(batch);
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

  const put = async (batch: Batch): Promise<void> => {
    const category = categories.get(batch.category) ?? { size: 0, last: Promise.resolve() };
    categories.set(batch.category, category);
    category.last = category.last
      .then(() => append(batch, category))
      .catch((error: Error) => {
        log.error(`output: ${batch.points} points of ${batch.category} are not written: ${error.message}`);
        options.onLost(batch, error.message);
      });
    await category.last;
  };

  return {
    put: async (batches) => {
      await Promise.all(batches.map(put));
    },
    queues: () => [],
    problems: () => [],
    close: async () => {
      await Promise.all([...categories.values()].map((category) => category.last));
    },
  };
}

const newline = Buffer.from("\n");
const gunzip = promisify(zlib.gunzip);

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
