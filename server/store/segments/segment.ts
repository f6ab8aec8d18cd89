// A segment: an immutable Parquet file of points of one category, and a key file beside it. The key file contains what
// a query needs to know before it opens the Parquet file: the column of each key (tag or field), and the keys of each
// workspace and point name.

import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import type { ColumnKind } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import type { KeyRegistry, NamedKeys } from "./keys.ts";
import type { PhysicalColumn } from "./layout.ts";
import type { SegmentEntry } from "./manifest.ts";

/** The content of a key file (the file beside a segment's Parquet file), which is JSON. */
export interface KeysFile {
  readonly category: CategoryName;
  /** The columns of the Parquet file for keys (tags and fields). They follow the columns that every segment has. */
  readonly columns: readonly PhysicalColumn[];
  /** All keys (of tags and fields) in the segment, with their value types. */
  readonly keys: readonly (readonly [key: string, kind: ColumnKind])[];
  /**
   * The sets of keys that occur together in points of the same name. Equal sets are listed once. A set is a list
   * of indexes into `keys`.
   */
  readonly sets: readonly (readonly number[])[];
  /** For each workspace and each name of points, the set of keys that these points have, as an index into `sets`. */
  readonly workspaces: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /**
   * The segments that this one replaces, and the log part from which it was packed. They are needed to rebuild a lost
   * manifest.
   */
  readonly replaces: readonly string[];
  readonly log: number | null;
}

/** A segment (Parquet file and key file) whose key file was loaded, so that queries can use it. */
export interface Segment {
  readonly entry: SegmentEntry;
  readonly file: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly columns: readonly PhysicalColumn[];
  /** The names of the columns that hold one key (tag or field) each, by the id of the key. */
  readonly columnOf: ReadonlyMap<number, string>;
  readonly maps: ReadonlySet<string>;
  /** The ids of all keys (of tags and fields) that points of the segment have. */
  readonly ids: ReadonlySet<number>;
  readonly workspaces: ReadonlySet<string>;
}

export function segmentPaths(root: string, { folder, id }: Pick<SegmentEntry, "folder" | "id">) {
  const base = path.join(root, "segments", folder, id);
  return { parquet: `${base}.parquet`, keys: `${base}.keys.json` };
}

/**
 * Returns the content of a key file. The content is small, because names of points with the same keys refer to
 * one common set of keys.
 */
export function keysFile(
  category: CategoryName,
  columns: readonly PhysicalColumn[],
  workspaces: Iterable<readonly [workspace: string, names: NamedKeys]>,
  registry: KeyRegistry,
  from: Pick<KeysFile, "replaces" | "log">,
): KeysFile {
  const places = new Map<number, number>();
  const keys: (readonly [string, ColumnKind])[] = [];
  const placeOf = (id: number): number => {
    let place = places.get(id);
    if (place === undefined) {
      const { key, kind } = registry.at(id);
      place = keys.push([key, kind]) - 1;
      places.set(id, place);
    }
    return place;
  };
  const sets: number[][] = [];
  const setsByText = new Map<string, number>();
  const all: Record<string, Record<string, number>> = {};
  for (const [workspace, names] of workspaces) {
    const own: Record<string, number> = Object.create(null) as Record<string, number>;
    for (const [name, ids] of names) {
      const set = [...ids].map(placeOf).sort((a, b) => a - b);
      const text = set.join(" ");
      let at = setsByText.get(text);
      if (at === undefined) {
        at = sets.push(set) - 1;
        setsByText.set(text, at);
      }
      own[name] = at;
    }
    all[workspace] = own;
  }
  return { category, columns, keys, sets, workspaces: all, ...from };
}

export interface LoadedSegment {
  readonly segment: Segment;
  readonly workspaces: readonly (readonly [workspace: string, names: NamedKeys])[];
}

export function segmentOf(root: string, entry: SegmentEntry, keys: KeysFile, registry: KeyRegistry): LoadedSegment {
  const ids = keys.keys.map(([key, kind]) => registry.of(key, kind).id);
  const columnOf = new Map<number, string>();
  const maps = new Set<string>();
  for (const column of keys.columns) {
    if (column.type === "map") maps.add(column.name);
    else columnOf.set(registry.of(column.key, column.kind).id, column.name);
  }
  const sets = keys.sets.map((places) => new Set(places.map((place) => ids[place]!)));
  const workspaces = Object.entries(keys.workspaces).map(
    ([workspace, names]) =>
      [workspace, new Map(Object.entries(names).map(([name, set]) => [name, sets[set]!]))] as const,
  );
  const segment: Segment = {
    entry,
    file: segmentPaths(root, entry).parquet,
    start: BigInt(entry.start),
    end: BigInt(entry.end),
    columns: keys.columns,
    columnOf,
    maps,
    ids: new Set(ids),
    workspaces: new Set(workspaces.map(([workspace]) => workspace)),
  };
  return { segment, workspaces };
}

/** An error that says why a segment in the manifest cannot be used. */
export class DamagedSegment extends Error {}

/**
 * Reads the key file of a segment and checks that the Parquet file exists with the expected size. Throws
 * DamagedSegment.
 */
export async function loadSegment(root: string, entry: SegmentEntry, registry: KeyRegistry): Promise<LoadedSegment> {
  const { parquet, keys } = segmentPaths(root, entry);
  const size = await sizeOf(parquet);
  if (size === undefined) throw new DamagedSegment("the file is missing");
  if (size !== entry.bytes) throw new DamagedSegment(`the file has ${size} bytes, it was written with ${entry.bytes}`);
  return segmentOf(root, entry, await readKeys(keys, entry), registry);
}

async function readKeys(file: string, { keysCrc }: SegmentEntry): Promise<KeysFile> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new DamagedSegment("its file of keys is missing");
    throw error;
  });
  if (crc32(bytes) !== keysCrc) throw new DamagedSegment("its file of keys has changed since it was written");
  return JSON.parse(bytes.toString("utf8")) as KeysFile;
}

/** Reads the whole Parquet file. Throws DamagedSegment when the checksum is wrong. */
export async function verifySegment(root: string, entry: SegmentEntry): Promise<void> {
  const { parquet } = segmentPaths(root, entry);
  if ((await sizeOf(parquet)) === undefined) throw new DamagedSegment("the file is missing");
  if ((await crcOf(parquet)) !== entry.crc) throw new DamagedSegment("the file has changed since it was written");
}

export async function crcOf(file: string): Promise<number> {
  let crc = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) crc = crc32(chunk as Buffer, crc);
  return crc;
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
