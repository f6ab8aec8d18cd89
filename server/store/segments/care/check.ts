// Checks that the files of a points store are undamaged, without changing them. The check may run while a process uses
// the store: before it reports a damaged file, it reads the manifest (the list of files) again, because the file may
// have been replaced.

import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { inspectQueue } from "../../../queue/inspect.ts";
import { realFiles } from "../../../queue/log/files.ts";
import { problemOfDatabase } from "../../sqlite-file.ts";
import { Acknowledged } from "../acknowledged.ts";
import { logFolder } from "../log.ts";
import { type Manifest, readManifest, type SegmentEntry } from "../manifest.ts";
import { DamagedSegment, segmentPaths, verifySegment } from "../segment.ts";

/**
 * The two folders of a store. In a running store both are the same folder. A backup has its segments (Parquet
 * files) in one folder and all other files in another.
 */
export interface StorePlaces {
  /** The folder of the manifest (the list of files), the log and the registry (batch ids and labels). */
  readonly state: string;
  /** The folder that contains the folder `segments`, which holds the Parquet files. */
  readonly root: string;
}

export interface Finding {
  /** The path of the damaged file, relative to the store. */
  readonly file: string;
  readonly reason: string;
  /** The number of points that are lost or at risk because of the damage. */
  readonly points: number;
}

export interface StoreReport {
  readonly findings: readonly Finding[];
  /** The segments in the manifest (the list of files) whose Parquet files are damaged. */
  readonly damaged: readonly SegmentEntry[];
  readonly manifest: Manifest | "absent" | "damaged";
  readonly segments: number;
  /** The number of points and bytes in all segments (Parquet files). */
  readonly points: number;
  readonly bytes: number;
  readonly logPoints: number;
}

/**
 * Checks a store. Calls `progress` with the number of bytes that were read so far and the number of all bytes. Throws
 * LaterFormat when a later version of Millrace has written the store.
 */
export async function checkStore(
  { state, root }: StorePlaces,
  progress: (read: number, all: number) => void = () => {},
): Promise<StoreReport> {
  const manifest = await readManifest(state);
  const findings: Finding[] = [];
  const log = await checkLog(state, manifest, findings);
  if (typeof manifest === "string") {
    const files = await parquetFiles(root);
    if (manifest === "damaged" || files.length > 0 || log.points > 0)
      findings.push({
        file: "manifest.json",
        reason: `${lostManifest(manifest)}; ${files.length} segments lie in the store`,
        points: 0,
      });
    checkRegistry(state, findings);
    return {
      findings,
      damaged: [],
      manifest,
      segments: files.length,
      points: 0,
      bytes: await sizes(files),
      logPoints: log.points,
    };
  }
  const segments = await checkSegments({ state, root }, manifest, findings, progress);
  if (manifest.segments.length > 0 || log.points > 0) checkRegistry(state, findings);
  return { ...segments, findings, manifest, logPoints: log.points };
}

function lostManifest(found: "absent" | "damaged"): string {
  return found === "absent" ? "the file is missing" : "the file is damaged";
}

function checkRegistry(state: string, findings: Finding[]): void {
  const problem = problemOfDatabase(path.join(state, "registry.sqlite"));
  if (problem !== undefined)
    findings.push({
      file: "registry.sqlite",
      reason: `${problem}; it holds labels of objects and ids of batches, no points`,
      points: 0,
    });
}

async function checkSegments(
  { state, root }: StorePlaces,
  { segments }: Manifest,
  findings: Finding[],
  progress: (read: number, all: number) => void,
): Promise<Pick<StoreReport, "damaged" | "segments" | "points" | "bytes">> {
  const all = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  let read = 0;
  const found: {
    readonly entry: SegmentEntry;
    readonly file: string;
    readonly reason: string;
    readonly isParquet: boolean;
  }[] = [];
  for (const entry of segments) {
    const paths = segmentPaths(root, entry);
    try {
      await verifySegment(root, entry);
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error;
      const reason = `${error.message}${await sizeNow(paths.parquet, entry.bytes)}`;
      found.push({ entry, file: paths.parquet, reason, isParquet: true });
    }
    const problem = await problemOfKeys(paths.keys, entry);
    if (problem !== undefined) found.push({ entry, file: paths.keys, reason: problem, isParquet: false });
    read += entry.bytes;
    progress(read, all);
  }
  // A merge of files may have replaced a damaged file after the check had read it. So only damaged files that the
  // manifest still lists are reported.
  const now = found.length === 0 ? undefined : await readManifest(state);
  const left = found.filter(
    ({ entry }) => now === undefined || typeof now === "string" || now.segments.some(({ id }) => id === entry.id),
  );
  for (const { entry, file, reason, isParquet } of left)
    findings.push({ file: path.relative(root, file), reason, points: isParquet ? entry.rows : 0 });
  return {
    damaged: left.filter(({ isParquet }) => isParquet).map(({ entry }) => entry),
    segments: segments.length,
    points: segments.reduce((sum, { rows }) => sum + rows, 0),
    bytes: all,
  };
}

async function sizeNow(file: string, bytes: number): Promise<string> {
  const size = await stat(file).then(
    (found) => found.size,
    () => bytes,
  );
  return size === bytes ? "" : `: ${size} bytes instead of ${bytes}`;
}

async function problemOfKeys(file: string, { keysCrc }: SegmentEntry): Promise<string | undefined> {
  const again = "it can be made again from the Parquet file";
  const bytes = await readFile(file).catch(() => undefined);
  if (bytes === undefined) return `the file is missing; ${again}`;
  return crc32(bytes) === keysCrc ? undefined : `the file has changed since it was written; ${again}`;
}

/** Reports log parts in which acknowledged points are missing. Returns the number of points that are present. */
async function checkLog(
  state: string,
  manifest: Manifest | "absent" | "damaged",
  findings: Finding[],
): Promise<{ readonly points: number }> {
  // The counts of acknowledged points are read before the log. Otherwise points that arrive between the two reads would
  // be counted, but would be missing in the log.
  const acknowledged = Acknowledged.read(state);
  const present = (await realFiles.list(path.join(state, "log"))).filter((name) => /^\d{8}$/.test(name)).map(Number);
  const known = typeof manifest === "string" ? undefined : manifest;
  const first = known === undefined ? 0 : (known.logs[0] ?? known.nextLog);
  const numbers = [...new Set([...(known?.logs ?? []), ...present.filter((each) => each >= first)])];
  const found: (Finding & { readonly number: number })[] = [];
  let points = 0;
  for (const number of numbers.sort((a, b) => a - b)) {
    const part = await readPart(state, number);
    const expected = acknowledged.get(number) ?? 0;
    points += part.points;
    const file = `log/${path.basename(logFolder(state, number))}`;
    const lost = Math.max(0, expected - part.points);
    if (!present.includes(number)) found.push({ number, file, reason: "the part of the log is missing", points: lost });
    else if (lost > 0)
      found.push({
        number,
        file,
        reason: `the part of the log was damaged or cut: it lacks ${lost} of ${expected} points`,
        points: lost,
      });
    else if (part.damagedBytes > 0)
      found.push({
        number,
        file,
        reason: `${part.damagedBytes} bytes cannot be read; no acknowledged point is known to lie in them`,
        points: 0,
      });
  }
  if (found.length === 0) return { points };
  // A damaged log part is not reported when its points have been packed into segments (Parquet files) in the meantime.
  const now = await readManifest(state);
  for (const { number, ...finding } of found)
    if (typeof now === "string" || number >= (now.logs[0] ?? now.nextLog)) findings.push(finding);
  return { points };
}

/**
 * Reads a part of the log and counts its damaged bytes. Bytes after the last whole record are not counted: a write may
 * be in progress there, or was interrupted when the process ended.
 */
async function readPart(
  state: string,
  number: number,
): Promise<{ readonly points: number; readonly damagedBytes: number }> {
  let points = 0;
  let damagedBytes = 0;
  let waiting = 0;
  await inspectQueue(
    realFiles,
    logFolder(state, number),
    (record) => {
      points += record.points;
      damagedBytes += waiting;
      waiting = 0;
    },
    (_file, bytes) => {
      waiting += bytes;
    },
  );
  return { points, damagedBytes };
}

/** Returns the paths of all Parquet files of a store, sorted. */
export async function parquetFiles(root: string): Promise<string[]> {
  const folder = path.join(root, "segments");
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names
    .filter((name) => name.endsWith(".parquet"))
    .sort()
    .map((name) => path.join(folder, name));
}

async function sizes(files: readonly string[]): Promise<number> {
  let sum = 0;
  for (const file of files) sum += (await stat(file)).size;
  return sum;
}
