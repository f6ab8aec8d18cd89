// After a failed write, tests whether the folder of a queue can be written again. The test writes a file with as
// many bytes as the failed write had, syncs the file if the queue syncs its files, and removes the file.

import { randomBytes } from "node:crypto";
import path from "node:path";
import type { QueueOptions } from "./types.ts";

export const probeName = "probe";
/** Largest size of a test write, in bytes. */
const mostProbed = 1 << 20;

/**
 * Writes a test file of `bytes` bytes, but of at most `mostProbed` bytes. Syncs the file if the queue syncs its files,
 * then removes the file. Rejects when the folder cannot be written.
 */
export async function probeFolder(
  { files, folder, sync }: Pick<QueueOptions, "files" | "folder" | "sync">,
  bytes: number,
): Promise<void> {
  const name = path.join(folder, probeName);
  const file = await files.openOrMake(name);
  try {
    // The bytes are random, since a file system with compression has room for any number of zeros.
    await file.write([randomBytes(Math.min(bytes, mostProbed))], 0);
    if (sync === "group") {
      await file.sync();
      await files.syncFolder(folder);
    }
  } finally {
    await file.close();
    await files.remove(name);
  }
}
