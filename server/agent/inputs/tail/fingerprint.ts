// Fingerprints of files. A fingerprint is a hash of the first bytes of a file. An inode number is not enough to
// recognize a file, because a file system reuses the number of a deleted file, and because a file may be truncated and
// written again.

import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

/** Largest number of bytes that a fingerprint covers. */
export const fingerprintBytes = 1024;

export interface Fingerprint {
  /** Number of bytes at the start of the file that the hash covers. */
  readonly bytes: number;
  readonly hash: string;
}

export const noFingerprint: Fingerprint = { bytes: 0, hash: "" };

type Readable = Pick<FileHandle, "read">;

/** Returns the fingerprint of the first `bytes` bytes of a file, or of the whole file when it is shorter. */
export async function fingerprintOf(file: Readable, bytes = fingerprintBytes): Promise<Fingerprint> {
  if (bytes === 0) return noFingerprint;
  const head = Buffer.alloc(bytes);
  let length = 0;
  while (length < bytes) {
    const { bytesRead } = await file.read(head, length, bytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length === 0) return noFingerprint;
  const hash = createHash("sha256").update(head.subarray(0, length)).digest("hex").slice(0, 32);
  return { bytes: length, hash };
}

/** Returns whether the first bytes of the file still have this fingerprint. */
export async function hasFingerprint(file: Readable, expected: Fingerprint): Promise<boolean> {
  const { bytes, hash } = await fingerprintOf(file, expected.bytes);
  return bytes === expected.bytes && hash === expected.hash;
}
