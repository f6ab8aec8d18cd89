// Copies of a points store in another folder, and the way back.
//
//   DIR/segments/...    the Parquet files and files of keys, each copied once: a later backup into DIR copies only new ones
//   DIR/state/...       manifest, log, registry, acknowledged: replaced as a whole, so that DIR holds a whole backup at any time
//
// `state.new` is a backup under way; `state.old` is the last one while `state` is being replaced.

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
  /** The number of copied bytes. */
  readonly bytes: number;
  /** Damaged segments of the store, which are not in the backup. */
  readonly damaged: readonly SegmentEntry[];
}

export type Progress = (done: number, all: number) => void;

/** Copies a snapshot (snapshot.ts) into `to`. `more` adds files to the new state before it replaces the old one. */
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
 * Copies segments from one store or backup to another, verifies their checksums, and skips segments that exist
 * already.
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

/** Copies a file. Returns false, and leaves no file, when the checksum of the source is wrong. */
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

/** Copies all bytes and returns their CRC-32. */
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

/** Copies log, registry and counts of a snapshot or a backup. */
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

/** Returns the folder of a backup's state, without changing the backup. */
export function stateOf(backup: string): string {
  const state = path.join(backup, "state");
  return existsSync(state) ? state : path.join(backup, "state.old");
}

/** Restores the name of the last state when a backup was stopped between two renames and left it as `state.old`. */
export async function finishReplacing(backup: string): Promise<void> {
  const [state, old] = [path.join(backup, "state"), path.join(backup, "state.old")];
  if (!existsSync(old)) return;
  if (existsSync(state)) await rm(old, { recursive: true, force: true });
  else await rename(old, state);
}

/** Removes segments that only earlier backups needed. */
async function removeUnneeded(backup: string, { segments }: Manifest): Promise<void> {
  const folder = path.join(backup, "segments");
  const needed = new Set(segments.flatMap((entry) => Object.values(segmentPaths(backup, entry))));
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])) {
    const file = path.join(each.parentPath, each.name);
    if (each.isFile() && !needed.has(file)) await rm(file, { force: true });
  }
}
