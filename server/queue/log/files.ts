// The file operations that the queue uses. They form one small interface, so that tests can make each of them
// fail.

import { constants, fdatasync, write, writeSync, writev, writevSync } from "node:fs";
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { makeFolder, privateFileMode, privateFolderMode } from "../private-files.ts";

export interface QueueFile {
  /**
   * Writes the given byte ranges to the file, one after the other, beginning at the offset `position`. After an
   * error, any part of the bytes may have been written.
   */
  write(parts: readonly Uint8Array[], position: number): Promise<void>;
  /**
   * Reads from the file into `into`, beginning at the offset `position`. Returns the number of bytes read, which
   * is less than `into.length` only at the end of the file.
   */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Resolves when the contents of the file are on the storage device, so that they survive a loss of power. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface QueueFiles {
  makeFolder(path: string): Promise<void>;
  /** Returns the sorted names of the files in a folder; an empty list when the folder does not exist. */
  list(folder: string): Promise<string[]>;
  size(path: string): Promise<number>;
  /** Opens a file for reading and writing. Rejects when the file does not exist. */
  open(path: string): Promise<QueueFile>;
  /** Opens a file for reading and writing. Creates the file when it does not exist. */
  openOrMake(path: string): Promise<QueueFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Resolves when the file names in the folder are on the storage device, so that they survive a loss of power. */
  syncFolder(folder: string): Promise<void>;
}

/** Largest number of byte ranges that Linux accepts in one write call. */
const maxParts = 1024;

export const realFiles: QueueFiles = {
  makeFolder: async (path) => {
    makeFolder(path, privateFolderMode);
  },
  list: async (folder) => ((await unlessGone(readdir(folder))) ?? []).sort(),
  size: async (path) => (await stat(path)).size,
  open: async (path) => wrap(await open(path, "r+")),
  openOrMake: async (path) => wrap(await open(path, constants.O_RDWR | constants.O_CREAT, privateFileMode)),
  rename,
  remove: async (path) => {
    await rm(path, { force: true });
  },
  syncFolder: async (folder) => {
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

function wrap(handle: FileHandle): QueueFile {
  return {
    write: async (parts, position) => {
      let left = parts;
      for (let at = position; left.length > 0; ) {
        const written = isQuick(left) ? writeAtOnce(handle.fd, left, at) : await writeParts(handle.fd, left, at);
        at += written;
        left = after(left, written);
      }
    },
    read: async (into, position) => {
      let filled = 0;
      while (filled < into.length) {
        const { bytesRead } = await handle.read(into, filled, into.length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    sync: () => new Promise((resolve, reject) => fdatasync(handle.fd, (error) => (error ? reject(error) : resolve()))),
    truncate: (size) => handle.truncate(size),
    close: () => handle.close(),
  };
}

/**
 * Maximum size in bytes of a write that this thread does itself. Such a write goes to the cache of the operating
 * system and takes a few microseconds; through another thread it would take ten times as long. But when the
 * storage device is too slow, the operating system makes this thread wait. So after a write that took longer
 * than `slowMs`, other threads do the writes for a time of `patience` times the duration of this write. In this
 * way, this thread waits for the device at most a twentieth (1/`patience`) of the time.
 */
const quickBytes = 256 * 1024;
const quickParts = 64;
const slowMs = 5;
const patience = 20;
let patientUntil = 0;

function isQuick(parts: readonly Uint8Array[]): boolean {
  if (parts.length > quickParts || performance.now() < patientUntil) return false;
  return parts.reduce((sum, { length }) => sum + length, 0) <= quickBytes;
}

function writeAtOnce(fd: number, parts: readonly Uint8Array[], position: number): number {
  const began = performance.now();
  try {
    return parts.length === 1 ? writeSync(fd, parts[0], 0, parts[0].length, position) : writevSync(fd, parts, position);
  } finally {
    const ended = performance.now();
    if (ended - began > slowMs) patientUntil = ended + patience * (ended - began);
  }
}

/**
 * Writes with the callback functions of `node:fs`, because this takes half as long as writing with a file
 * handle.
 */
function writeParts(fd: number, parts: readonly Uint8Array[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, written: number) => (error === null ? resolve(written) : reject(error));
    if (parts.length === 1) write(fd, parts[0], 0, parts[0].length, position, done);
    else writev(fd, parts.slice(0, maxParts), position, done);
  });
}

/** Returns the byte ranges that remain to be written after the first `written` bytes. */
function after(parts: readonly Uint8Array[], written: number): Uint8Array[] {
  let skip = written;
  let first = 0;
  while (first < parts.length && skip >= parts[first].length) skip -= parts[first++].length;
  const rest = parts.slice(first);
  if (skip > 0) rest[0] = rest[0].subarray(skip);
  return rest;
}

/**
 * Returns the result of a file operation, or undefined when the file does not exist (ENOENT): a running service
 * may remove or rename a file at any moment. Rejects with any other error.
 */
export async function unlessGone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}
