// The file operations of the queue behind one small interface, so that tests can make any of them fail.

import { fdatasync, write, writeSync, writev, writevSync } from "node:fs";
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { makeFolder, privateFileMode, privateFolderMode } from "../private-files.ts";

export interface QueueFile {
  /** Writes all bytes of all parts at `position`; on an error any part of them may be in the file. */
  write(parts: readonly Uint8Array[], position: number): Promise<void>;
  /** Fills `into` from `position`; gives the number of bytes read, less only at the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Contents are on the device when it resolves. */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

export interface QueueFiles {
  makeFolder(path: string): Promise<void>;
  /** File names, sorted; empty when there is no such folder. */
  list(folder: string): Promise<string[]>;
  size(path: string): Promise<number>;
  /** For reading and writing; rejects when there is none. */
  open(path: string): Promise<QueueFile>;
  /** Makes it when there is none. */
  openOrMake(path: string): Promise<QueueFile>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** The names in the folder are on the device when it resolves. */
  syncFolder(folder: string): Promise<void>;
}

/** Linux takes at most 1024 parts in one call. */
const maxParts = 1024;

export const realFiles: QueueFiles = {
  makeFolder: async (path) => {
    makeFolder(path, privateFolderMode);
  },
  list: async (folder) => {
    try {
      return (await readdir(folder)).sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  },
  size: async (path) => (await stat(path)).size,
  open: async (path) => wrap(await open(path, "r+")),
  openOrMake: async (path) => wrap(await openOrMake(path)),
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

async function openOrMake(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r+");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return await open(path, "wx+", privateFileMode);
  }
}

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
 * A small write into the system's cache takes a few microseconds, having another thread do it ten times that. But when the
 * device cannot follow, the system makes writers wait: after one that was slow, the other threads do them for twenty times as long,
 * so that this one waits for a twentieth of the time at most.
 */
const quickBytes = 256 * 1024;
const quickParts = 16;
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

/** The callback interface costs half of the file handle's. */
function writeParts(fd: number, parts: readonly Uint8Array[], position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, written: number) => (error === null ? resolve(written) : reject(error));
    if (parts.length === 1) write(fd, parts[0], 0, parts[0].length, position, done);
    else writev(fd, parts.slice(0, maxParts), position, done);
  });
}

/** What is left of the parts when their first `written` bytes are written. */
function after(parts: readonly Uint8Array[], written: number): Uint8Array[] {
  let skip = written;
  let first = 0;
  while (first < parts.length && skip >= parts[first].length) skip -= parts[first++].length;
  const rest = parts.slice(first);
  if (skip > 0) rest[0] = rest[0].subarray(skip);
  return rest;
}

/** Resolves to undefined where the file is gone: a running service may remove or rename it at any moment. */
export async function unlessGone<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}
