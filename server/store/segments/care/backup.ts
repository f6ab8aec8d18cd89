// Backs up a points store into another folder, and restores it. A backup folder DIR contains:
//
//   DIR/segments/...    the Parquet files and key files. Each file is copied once: a later backup into DIR
//                       copies only new files
//   DIR/state/...       manifest, log, registry, acknowledged. A later backup replaces these files together, so
//                       that DIR always contains one complete backup
//
// `state.new` is the state of an unfinished backup. While the new state replaces `state`, the state of the last
// backup is in `state.old`.

import { existsSync } from "node:fs";
import { cp, type FileHandle, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { type Manifest, type SegmentEntry, syncFolder, writeManifest } from "../manifest.ts";
import { crcOf, segmentPaths } from "../segment.ts";

export interface BackupResult {
  readonly manifest: Manifest;
  readonly copied: number;
  readonly kept: number;
  /** Number of bytes that the backup has copied. */
  readonly bytes: number;
  /** Segments (Parquet files) of the store that are damaged and therefore not in the backup. */
  readonly damaged: readonly SegmentEntry[];
}

export type Progress = (done: number, all: number) => void;

/**
 * Copies a snapshot of a store (snapshot.ts) into the folder `to`. Before the state of the previous backup is replaced,
 * `more` is called to add files to the new state.
 */
export async function backUp(
  snapshot: string,
  manifest: Manifest,
  to: string,
  { more, progress }: { readonly more: (state: string) => Promise<void>; readonly progress: Progress },
): Promise<BackupResult> {
  await finishReplacing(to);
  const fresh = path.join(to, "state.new");
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true, mode: 0o700 });
  const copied = await copySegments(snapshot, to, manifest.segments, progress);
  const damaged = new Set(copied.damaged);
  const written = { ...manifest, segments: manifest.segments.filter((entry) => !damaged.has(entry)) };
  await copyState(snapshot, fresh);
  await more(fresh);
  await writeManifest(fresh, written);
  await syncTree(fresh);
  const state = path.join(to, "state");
  if (existsSync(state)) await rename(state, path.join(to, "state.old"));
  await rename(fresh, state);
  await syncFolder(to);
  await finishReplacing(to);
  await removeUnneeded(to, written);
  return { ...copied, manifest: written };
}

/**
 * Copies segments (Parquet files and their key files) from one store or backup to another and verifies their checksums.
 * Segments that exist at the destination are skipped.
 */
export async function copySegments(
  from: string,
  to: string,
  segments: readonly SegmentEntry[],
  progress: Progress,
): Promise<Omit<BackupResult, "manifest">> {
  const all = segments.reduce((sum, entry) => sum + entry.bytes, 0);
  const damaged: SegmentEntry[] = [];
  const folders = new Set<string>();
  let [copied, kept, bytes, done] = [0, 0, 0, 0];
  for (const entry of segments) {
    const [source, target] = [segmentPaths(from, entry), segmentPaths(to, entry)];
    const files = [
      { from: source.parquet, to: target.parquet, bytes: entry.bytes, crc: entry.crc },
      { from: source.keys, to: target.keys, bytes: entry.keysBytes, crc: entry.keysCrc },
    ];
    folders.add(path.dirname(target.parquet));
    await mkdir(path.dirname(target.parquet), { recursive: true, mode: 0o700 });
    const missing = [];
    for (const file of files) if (!(await isThere(file))) missing.push(file);
    let isWhole = true;
    for (const file of missing) isWhole &&= await copyChecked(file);
    if (!isWhole) damaged.push(entry);
    else if (missing.length > 0) copied++;
    else kept++;
    bytes += isWhole ? missing.reduce((sum, file) => sum + file.bytes, 0) : 0;
    done += entry.bytes;
    progress(done, all);
  }
  for (const folder of folders) await syncFolder(folder);
  return { copied, kept, bytes, damaged };
}

interface WantedFile {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly crc: number;
}

async function isThere({ to, bytes, crc }: WantedFile): Promise<boolean> {
  const found = await stat(to).catch(() => undefined);
  return found?.size === bytes && (await crcOf(to)) === crc;
}

const chunkBytes = 1 << 20;

/** Copies a file. When the checksum of the source is wrong, returns false and leaves no file at the destination. */
async function copyChecked({ from, to, crc }: WantedFile): Promise<boolean> {
  const fresh = `${to}.new`;
  const [source, target] = [await open(from, "r").catch(() => undefined), await open(fresh, "w", 0o600)];
  try {
    const isSame = source !== undefined && (await copyAll(source, target)) === crc;
    if (isSame) {
      await target.sync();
      await rename(fresh, to);
    }
    return isSame;
  } finally {
    await source?.close();
    await target.close();
    await rm(fresh, { force: true });
  }
}

/** Copies a file and returns the CRC-32 of its bytes. */
async function copyAll(source: FileHandle, target: FileHandle): Promise<number> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let crc = 0; ; ) {
    const { bytesRead } = await source.read(chunk, 0, chunkBytes);
    if (bytesRead === 0) return crc;
    const part = chunk.subarray(0, bytesRead);
    crc = crc32(part, crc);
    await target.writeFile(part);
  }
}

/**
 * Copies the log, the registry (batch ids and labels) and the counts of acknowledged points from a snapshot or a
 * backup.
 */
export async function copyState(from: string, to: string): Promise<void> {
  for (const name of ["acknowledged", "registry.sqlite", "log"])
    if (existsSync(path.join(from, name))) await cp(path.join(from, name), path.join(to, name), { recursive: true });
}

/** Syncs every file and folder below a folder to the disk. */
export async function syncTree(folder: string): Promise<void> {
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (each.isFile() || each.isDirectory()) await syncFolder(path.join(each.parentPath, each.name));
  await syncFolder(folder);
}

/** Returns the folder that holds the state of a backup, without changing the backup. */
export function stateOf(backup: string): string {
  const state = path.join(backup, "state");
  return existsSync(state) ? state : path.join(backup, "state.old");
}

/** Renames `state.old` back to `state` when a backup was stopped between its two renames. */
export async function finishReplacing(backup: string): Promise<void> {
  const [state, old] = [path.join(backup, "state"), path.join(backup, "state.old")];
  if (!existsSync(old)) return;
  if (existsSync(state)) await rm(old, { recursive: true, force: true });
  else await rename(old, state);
}

/** Removes from the backup folder the segments (Parquet files) that only earlier backups needed. */
async function removeUnneeded(backup: string, { segments }: Manifest): Promise<void> {
  const folder = path.join(backup, "segments");
  const needed = new Set(segments.flatMap((entry) => Object.values(segmentPaths(backup, entry))));
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    const file = path.join(each.parentPath, each.name);
    if (each.isFile() && !needed.has(file)) await rm(file, { force: true });
  }
}
