// The manifest lists the files of the store. It is one file that is replaced atomically, so a crash leaves
// either the old manifest or the new one. The first line of the file is JSON. The second line is the CRC-32 of
// the first line, as eight hexadecimal digits.

import { open, readFile, rename } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { type CategoryName, categories } from "../../../lib/point/index.ts";

/**
 * The version of the format of manifest, segments and key files. This version of Millrace writes this format,
 * and can read this format and all earlier ones.
 */
export const storeFormat = 1;

/** A segment in the manifest: an immutable Parquet file of points, and the key file beside it. */
export interface SegmentEntry {
  /** The name of the Parquet file and the key file: `<folder>/<id>`, to which each file adds its own extension. */
  readonly id: string;
  readonly category: CategoryName;
  /** The path of the segment's folder below `segments/`: category, day (or `mixed`), workspace (or `shared`). */
  readonly folder: string;
  readonly rows: number;
  /** Size in bytes and CRC-32 of the Parquet file. */
  readonly bytes: number;
  readonly crc: number;
  /** Size in bytes and CRC-32 of the key file. */
  readonly keysBytes: number;
  readonly keysCrc: number;
  /** Times of the oldest and the newest point, in ns since 1970 as a decimal string. */
  readonly start: string;
  readonly end: string;
  /** The highest sequence number (order of arrival) of the segment's points, as a decimal string. */
  readonly lastSequence: string;
}

export interface Manifest {
  readonly format: number;
  /** The numbers that the next segment and the next part of the log will get. */
  readonly nextSegment: number;
  readonly nextLog: number;
  /** The numbers of log parts whose points are not in any segment (Parquet file) yet, oldest first. */
  readonly logs: readonly number[];
  /**
   * For each category, points before this time count as deleted, even if a file still contains some. Times are ns since
   * 1970 as decimal strings.
   */
  readonly floors: Partial<Readonly<Record<CategoryName, string>>>;
  readonly segments: readonly SegmentEntry[];
  /** The tables of the previous version's store that were imported already; absent when no import is under way. */
  readonly upgraded?: readonly string[];
}

export const emptyManifest: Manifest = {
  format: storeFormat,
  nextSegment: 1,
  nextLog: 1,
  logs: [],
  floors: {},
  segments: [],
};

const fileName = "manifest.json";

/** Thrown when a later version of Millrace has written the store. */
export class LaterFormat extends Error {}

/**
 * Reads the manifest. Returns "absent" when the folder has no manifest, and "damaged" when the file cannot be parsed.
 * Throws LaterFormat when a later version of Millrace has written the store.
 */
export async function readManifest(folder: string): Promise<Manifest | "absent" | "damaged"> {
  let text: string;
  try {
    text = await readFile(path.join(folder, fileName), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "absent";
    throw error;
  }
  const [line = "", sum = ""] = text.split("\n");
  if (checksum(line) !== sum) return "damaged";
  const manifest = JSON.parse(line) as Manifest;
  if (manifest.format > storeFormat)
    throw new LaterFormat(
      `the points store has format ${manifest.format}, this program reads up to ${storeFormat}: start the later version that wrote it, or restore a backup`,
    );
  return manifest;
}

/** Replaces the manifest and syncs the new one to the disk. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const line = JSON.stringify(manifest);
  await replaceFile(path.join(folder, fileName), `${line}\n${checksum(line)}\n`);
}

/** Replaces a file atomically and syncs the new file to the disk. */
export async function replaceFile(file: string, contents: string | Uint8Array): Promise<void> {
  const fresh = `${file}.new`;
  await writeSynced(fresh, contents);
  await rename(fresh, file);
  await syncFolder(path.dirname(file));
}

/** Writes a file and syncs its content. The file's entry in its folder is not synced. */
export async function writeSynced(
  file: string,
  contents: string | Uint8Array,
): Promise<{ readonly bytes: number; readonly crc: number }> {
  const handle = await open(file, "w", 0o600);
  try {
    const bytes = typeof contents === "string" ? Buffer.from(contents) : contents;
    await handle.writeFile(bytes);
    await handle.sync();
    return { bytes: bytes.length, crc: crc32(bytes) };
  } finally {
    await handle.close();
  }
}

/** Syncs a folder, so that the names of new files survive a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

export function isCategory(name: string): name is CategoryName {
  return (categories as readonly string[]).includes(name);
}
