// The manifest lists the files of the store. It is one file that is replaced atomically: a crash leaves the old one
// or the new one.
// The first line is JSON, the second the CRC-32 of the first as eight hexadecimal digits.

import { open, readFile, rename } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { type CategoryName, categories } from "../../../lib/point/index.ts";

/**
 * The version of the format of manifest, segments and key files. This program writes this version, and reads it and
 * earlier ones.
 */
export const storeFormat = 1;

/** An immutable Parquet file of points, and the key file beside it. */
export interface SegmentEntry {
  /** The name of both files: `<folder>/<id>` with different extensions. */
  readonly id: string;
  readonly category: CategoryName;
  /** The folder of the files below `segments/`: category, day (or `mixed`), workspace (or `shared`). */
  readonly folder: string;
  readonly rows: number;
  /** Size and CRC-32 of the Parquet file. */
  readonly bytes: number;
  readonly crc: number;
  /** Size and CRC-32 of the key file. */
  readonly keysBytes: number;
  readonly keysCrc: number;
  /** Times of the oldest and the newest point, ns since 1970 in decimal. */
  readonly start: string;
  readonly end: string;
  /** The highest sequence number of a point, in decimal. */
  readonly lastSequence: string;
}

export interface Manifest {
  readonly format: number;
  /** Numbers of the next segment and the next part of the log. */
  readonly nextSegment: number;
  readonly nextLog: number;
  /** Parts of the log whose points are in no segment yet, oldest first. */
  readonly logs: readonly number[];
  /**
   * Points before these times are deleted, even if a file still holds some: ns since 1970 in decimal, by category.
   */
  readonly floors: Partial<Readonly<Record<CategoryName, string>>>;
  readonly segments: readonly SegmentEntry[];
  /**
   * Tables of a store of the previous version that are in segments already; absent when nothing has to be upgraded.
   */
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

/** An error: a later version of this program has written the store. */
export class LaterFormat extends Error {}

/**
 * Reads the manifest. "absent": the folder holds no manifest. "damaged": the file cannot be parsed. Throws
 * LaterFormat.
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

/** Replaces the manifest and syncs it to the disk. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const line = JSON.stringify(manifest);
  await replaceFile(path.join(folder, fileName), `${line}\n${checksum(line)}\n`);
}

/** Replaces a file atomically and syncs it to the disk. */
export async function replaceFile(file: string, contents: string | Uint8Array): Promise<void> {
  const fresh = `${file}.new`;
  await writeSynced(fresh, contents);
  await rename(fresh, file);
  await syncFolder(path.dirname(file));
}

/** Writes a file and syncs its contents, but not its name in the folder. */
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

/** Syncs the names in a folder to the disk. */
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
