// Opens a points store: reads the manifest (the list of files), checks the files, and fills the tables in memory from
// the log. Damaged files are moved aside and reported with the number of lost points; all other points can be queried.

import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { categories, type PointBatch } from "../../../lib/point/index.ts";
import { withoutPaths } from "../without-paths.ts";
import { Acknowledged } from "./acknowledged.ts";
import { recoverKeys, recoverManifest } from "./care/recover.ts";
import { upgradeStore } from "./care/upgrade.ts";
import { addBatches, Generation, type HotBatch } from "./hot.ts";
import { logRoom } from "./ingest.ts";
import { LogPart, logFolder, type ReadBatch, unlimited } from "./log.ts";
import { setAside } from "./maintenance.ts";
import { emptyManifest, type Manifest, readManifest, type SegmentEntry } from "./manifest.ts";
import { Registry } from "./registry.ts";
import { DamagedSegment, loadSegment } from "./segment.ts";
import type { StoreState } from "./state.ts";

/** Maximum number of points that are added in one transaction while the log is read. */
const replayedPoints = 50_000;

/**
 * Loads the state of the store from its folder. Returns the number of acknowledged points in each part of the log.
 * Throws when the store cannot be read.
 */
export async function openState(state: StoreState, connection: DuckDBConnection): Promise<Acknowledged> {
  const { root, events } = state;
  await mkdir(path.join(root, "log"), { recursive: true, mode: 0o700 });
  await mkdir(path.join(root, "segments"), { recursive: true, mode: 0o700 });
  const manifest = await manifestOf(state, connection);
  state.nextSegment = manifest.nextSegment;
  state.nextLog = manifest.nextLog;
  state.upgraded = manifest.upgraded === undefined ? undefined : [...manifest.upgraded];
  for (const category of categories) {
    const floor = manifest.floors[category];
    if (floor !== undefined) state.floors.set(category, BigInt(floor));
  }
  state.registry = await openRegistry(state);
  for (const entry of manifest.segments) await openSegment(state, connection, entry);
  await removeOrphanedFiles(state);
  const points = await openLogs(state, connection, manifest);
  await upgradeStore(state);
  await state.save();
  if (state.segments.size > 0 || points.size > 0)
    events.info(
      `the points store has ${state.segments.size} segments and ${[...points.values()].reduce((sum, each) => sum + each, 0)} points in its log`,
    );
  return Acknowledged.open(root, points);
}

async function manifestOf(state: StoreState, connection: DuckDBConnection): Promise<Manifest> {
  const { root, events } = state;
  const found = await readManifest(root);
  if (typeof found !== "string") return found;
  const isEmpty =
    (await readdir(path.join(root, "segments"))).length + (await readdir(path.join(root, "log"))).length === 0;
  if (found === "absent" && isEmpty) return emptyManifest;
  events.warn(`the manifest of the points store is ${found}: it is made again from the files that are there`);
  return await recoverManifest(root, connection, (line) => events.warn(line));
}

async function openRegistry({ root, events }: StoreState): Promise<Registry> {
  const file = path.join(root, "registry.sqlite");
  try {
    return Registry.open(file);
  } catch (error) {
    const aside = path.join(root, "damaged");
    await mkdir(aside, { recursive: true, mode: 0o700 });
    for (const ending of ["", "-wal", "-shm"])
      await rename(`${file}${ending}`, path.join(aside, `registry.sqlite${ending}`)).catch(() => {});
    events.warn(
      `registry.sqlite of the points store cannot be read (${withoutPaths(error)}): it was set aside, and a new one begins without the labels of objects; a batch that was stored before and is sent again is stored twice`,
    );
    return Registry.open(file);
  }
}

async function openSegment(state: StoreState, connection: DuckDBConnection, entry: SegmentEntry): Promise<void> {
  const { root, keys } = state;
  try {
    state.addSegments([await loadSegment(root, entry, keys.registry)]);
  } catch (error) {
    if (!(error instanceof DamagedSegment)) throw error;
    // The key file of the segment is damaged. It can be rebuilt, because the Parquet file contains the same
    // information.
    const recovered = await recoverKeys(root, connection, entry).catch(() => undefined);
    if (recovered === undefined) await setAside(state, entry, error.message);
    else {
      state.events.warn(`the points store has made the file of keys of ${entry.id}.parquet again: ${error.message}`);
      state.addSegments([await loadSegment(root, recovered, keys.registry)]);
    }
  }
}

/** Removes files that a crash has left and that the manifest does not list. */
async function removeOrphanedFiles({ root, segments }: StoreState): Promise<void> {
  const folder = path.join(root, "segments");
  const known = new Set(segments.keys());
  for (const each of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!each.isFile() || known.has(each.name.split(".")[0]!)) {
      if (!each.name.endsWith(".new")) continue;
    }
    await rm(path.join(each.parentPath, each.name), { force: true });
  }
}

/** Adds the points of all log parts to the tables in memory. Returns the number of points in each log part. */
async function openLogs(
  state: StoreState,
  connection: DuckDBConnection,
  manifest: Manifest,
): Promise<Map<number, number>> {
  const { root, events } = state;
  const expected = Acknowledged.read(root);
  const present = (await readdir(path.join(root, "log"))).filter((name) => /^\d{8}$/.test(name)).map(Number);
  const first = manifest.logs[0] ?? manifest.nextLog;
  const points = new Map<number, number>();
  for (const number of present.filter((each) => each < first))
    await rm(logFolder(root, number), { recursive: true, force: true });
  const numbers = [...new Set([...manifest.logs, ...present.filter((each) => each >= first)])].sort((a, b) => a - b);
  const ids = new Set<string>();
  for (const number of numbers) {
    const known = expected.get(number) ?? 0;
    if (!present.includes(number)) {
      events.lost(known);
      events.warn(
        `a part of the points store's log is missing, and with it ${known} points: log/${path.basename(logFolder(root, number))}`,
      );
      continue;
    }
    if (known > 0) events.info(`reading ${known} points of the points store's log ...`);
    const found = await replay(state, connection, number, ids);
    if (found < known) {
      events.lost(known - found);
      events.warn(
        `${known - found} of ${known} points of the points store's log are lost: log/${path.basename(logFolder(root, number))} was damaged or cut`,
      );
    }
    points.set(number, found);
    state.nextLog = Math.max(state.nextLog, number + 1);
  }
  return points;
}

/** Adds the points of a log part to a new generation (set of tables in memory). Returns the number of points. */
async function replay(
  state: StoreState,
  connection: DuckDBConnection,
  number: number,
  ids: Set<string>,
): Promise<number> {
  const { root, events } = state;
  const { mill, now } = state.options;
  const log = await LogPart.open(root, number);
  const generation = new Generation(number, now(), await logRoom(root));
  let group: (HotBatch & { readonly points: PointBatch })[] = [];
  let waiting = 0;
  let points = 0;
  const flush = async (): Promise<void> => {
    await addBatches(connection, generation, group, { ...state.addOptions(), next: () => 0n }, async () => {});
    for (const { workspace, category, uses, points: batch } of group) {
      state.keys.of(workspace.id, category).addUses(uses);
      batch.release();
    }
    group = [];
    waiting = 0;
  };
  const take = async ({ workspace, category, batchId, index, received, sequence, body, points: count }: ReadBatch) => {
    points += count;
    // The log may contain a batch twice: a failed write may have left its record in the log, and the sender has then
    // sent the batch again.
    const id = `${workspace} ${batchId}`;
    if (ids.has(id)) return;
    ids.add(id);
    const batch = mill.decodePoints(body, { category, form: "pb", precision: "n", limits: unlimited });
    group.push({
      ...{ category, batchId, index, received, sequence, points: batch },
      uses: mill.columnsUsed(batch),
      workspace: { id: workspace, number: state.workspaceNumber(workspace) },
    });
    state.noteSequence(workspace, sequence + BigInt(count) - 1n);
    waiting += count;
    if (waiting >= replayedPoints) await flush();
  };
  let isDamaged = false;
  await log.read(take, (file, bytes) => {
    isDamaged = true;
    events.warn(`${bytes} bytes of the points store's ${file} cannot be read`);
  });
  if (group.length > 0) await flush();
  if (isDamaged) {
    const aside = path.join(root, "damaged", `log-${path.basename(logFolder(root, number))}`);
    await cp(logFolder(root, number), aside, { recursive: true });
    events.warn(`a copy of the damaged log lies in points/damaged/${path.basename(aside)}`);
  }
  state.generations.push(generation);
  state.logs.set(number, log);
  return points;
}
