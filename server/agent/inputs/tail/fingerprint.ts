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
  return bytes === 0 ? noFingerprint : fingerprintOfHead(await headOf(file, bytes));
}

async function headOf(file: Readable, bytes: number): Promise<Uint8Array> {
  const head = Buffer.alloc(bytes);
  let length = 0;
  while (length < bytes) {
    const { bytesRead } = await file.read(head, length, bytes - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return head.subarray(0, length);
}

function fingerprintOfHead(head: Uint8Array): Fingerprint {
  if (head.length === 0) return noFingerprint;
  return { bytes: head.length, hash: createHash("sha256").update(head).digest("hex").slice(0, 32) };
}

/** Returns whether the first bytes of the file still have this fingerprint. */
export async function hasFingerprint(file: Readable, expected: Fingerprint): Promise<boolean> {
  const { bytes, hash } = await fingerprintOf(file, expected.bytes);
  return bytes === expected.bytes && hash === expected.hash;
}

/**
 * Returns the longest fingerprint (a hash of the first bytes) that can be taken of a file, when the file still begins
 * with the bytes of `expected`; undefined when it begins with other bytes. The file is read only once for the check and
 * for the new fingerprint. So both concern the same content, even if the file is truncated and written again meanwhile.
 */
export async function extendFingerprint(file: Readable, expected: Fingerprint): Promise<Fingerprint | undefined> {
  const head = await headOf(file, fingerprintBytes);
  if (head.length < expected.bytes) return undefined;
  const { hash } = fingerprintOfHead(head.subarray(0, expected.bytes));
  if (hash !== expected.hash) return undefined;
  return head.length === expected.bytes ? expected : fingerprintOfHead(head);
}
