// The manifest: which files are the store's. It is one file, replaced as a whole: a crash leaves the old one or the new one.
//
// The first line is JSON, the second the CRC-32 of the first as eight hexadecimal digits.

import { open, readFile, rename } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { type CategoryName, categories } from "../../../lib/point/category.ts";

/** The format of manifest, segments and their key files that this program writes. It reads this one and the ones before. */
export const storeFormat = 1;

/** One immutable Parquet file of points, and the file of its keys beside it. */
export interface SegmentEntry {
  /** Both files are `<folder>/<id>` with an ending of their own. */
  readonly id: string;
  readonly category: CategoryName;
  /** The folder of the files below `segments/`: category, day (or `mixed`), workspace (or `shared`). */
  readonly folder: string;
  readonly rows: number;
  /** Size and CRC-32 of the Parquet file. */
  readonly bytes: number;
  readonly crc: number;
  /** Size and CRC-32 of the file of keys. */
  readonly keysBytes: number;
  readonly keysCrc: number;
  /** Times of the oldest and the newest point, ns since 1970 in decimal. */
  readonly start: string;
  readonly end: string;
  /** The highest number of a point by arrival, in decimal. */
  readonly lastSequence: string;
}

export interface Manifest {
  readonly format: number;
  /** Numbers the next segment and the next part of the log. */
  readonly nextSegment: number;
  readonly nextLog: number;
  /** Parts of the log whose points are in no segment yet, oldest first. */
  readonly logs: readonly number[];
  /** ns since 1970 in decimal: points before it are deleted, also where a file still holds some. */
  readonly floors: Partial<Readonly<Record<CategoryName, string>>>;
  readonly segments: readonly SegmentEntry[];
  /** Tables of a store of the version before that are in segments already; absent when nothing is to be upgraded. */
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

/** The store was written by a later version of this program. */
export class LaterFormat extends Error {}

/** "absent": the folder holds no manifest. "damaged": it cannot be read as one. Throws LaterFormat. */
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

/** Replaces the manifest; it is on the device when the promise resolves. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const line = JSON.stringify(manifest);
  await replaceFile(path.join(folder, fileName), `${line}\n${checksum(line)}\n`);
}

/** Replaces a file as a whole; it is on the device when the promise resolves. */
export async function replaceFile(file: string, contents: string | Uint8Array): Promise<void> {
  const fresh = `${file}.new`;
  await writeSynced(fresh, contents);
  await rename(fresh, file);
  await syncFolder(path.dirname(file));
}

/** Writes a file whose contents are on the device when the promise resolves; its name may not be. */
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

/** The names in the folder are on the device when the promise resolves. */
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
