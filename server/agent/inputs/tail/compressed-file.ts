// Recognizes gzip files, and finds the file from which a gzip file was made. Log rotation may compress a renamed file
// before the agent has read it to its end. The agent then continues in the gzip file at the position where it stopped
// in the original file.

import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import { fingerprintBytes } from "./fingerprint.ts";
import { GzipContent } from "./gzip-content.ts";
import type { Ended } from "./positions.ts";

/** Time in milliseconds without a change after which a gzip file counts as complete. */
export const writtenMs = 2000;

/** Returns whether the name is one of a gzip file, such as `access.log.1.gz`. */
export function isGzipName(file: string): boolean {
  return file.endsWith(".gz");
}

/**
 * Returns the file in `files` from which log rotation made the gzip file; undefined when there is none. A file
 * is the original when two conditions are met: the fingerprint of the file (a hash of its first bytes) matches
 * the decompressed content, and the gzip file's name begins with the file's name without the numbers of log
 * rotation. For example, `access.log.2.gz` may come from `access.log.1`.
 *
 * @param at the path of the gzip file
 */
export async function originalOf<File extends Ended>(
  handle: FileHandle,
  at: string,
  files: Iterable<File>,
): Promise<File | undefined> {
  const name = path.basename(at);
  const candidates = [...files].filter((file) => file.fingerprint.bytes > 0 && name.startsWith(stemOf(file.path)));
  if (candidates.length === 0) return undefined;
  const head = await headOf(handle);
  const hashes = new Map<number, string>();
  const hashOf = (bytes: number) => {
    const hash = hashes.get(bytes) ?? createHash("sha256").update(head.subarray(0, bytes)).digest("hex").slice(0, 32);
    hashes.set(bytes, hash);
    return hash;
  };
  let original: File | undefined;
  for (const file of candidates) {
    const { bytes, hash } = file.fingerprint;
    // A fingerprint (a hash of the first bytes) covers only a few bytes when the file was short at the time. When
    // the agent has read more of the file since then, these few bytes do not prove that the gzip file has the same
    // content.
    const isStrong = bytes === fingerprintBytes || file.place.offset <= fingerprintBytes;
    if (!isStrong || bytes > head.length || hash !== hashOf(bytes)) continue;
    if (original === undefined || isBetter(file, original)) original = file;
  }
  return original;
}

function isBetter(file: Ended, than: Ended): boolean {
  const more = file.fingerprint.bytes - than.fingerprint.bytes;
  return more > 0 || (more === 0 && file.place.offset > than.place.offset);
}

/** Returns the name of a file without the numbers that log rotation adds: `access.log` for `access.log.1`. */
function stemOf(file: string): string {
  return path.basename(file).replace(/(?:[.-]\d+)+$/, "");
}

async function headOf(handle: FileHandle): Promise<Uint8Array> {
  const head = Buffer.alloc(fingerprintBytes);
  const content = new GzipContent(handle);
  const { length } = await content.read(head, 0);
  content.close();
  return head.subarray(0, length);
}
