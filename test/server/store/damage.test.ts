// A points store with damaged, cut or missing files: the store starts, reports the loss, moves the damaged files to
// another folder, and serves the remaining points.

import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readRequest, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace } from "../../../lib/index.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { openedStore, removeStore, storeFolder } from "./opened.ts";

const now = 1_700_000_000_000;
const mill = await createMillrace();
const encoder = new TextEncoder();

/**
 * Makes a store with 300 points in segments (100 in each of three categories) and 70 points that are not packed into a
 * segment yet.
 */
async function filled(): Promise<string> {
  const folder = storeFolder();
  onTestFinished(() => removeStore(folder));
  const store = await openedStore({ folder, now: () => now, mill });
  for (const category of ["metric", "logging", "network"] as const)
    await put(store, category, `packed-${category}`, 100);
  await store.pack();
  await store.label("one", { id: "x", objectClass: "c", objectName: "n", key: "k", value: "v" }, ["label"]);
  await put(store, "tracing", "logged-1", 30);
  await put(store, "tracing", "logged-2", 40);
  await store.close();
  return folder;
}

async function put(
  store: SegmentStore,
  category: "metric" | "logging" | "network" | "tracing",
  id: string,
  count: number,
) {
  const lines = Array.from({ length: count }, (_, at) => `m,t=a${at % 3} v=${at}i,text="line ${at}" ${now - at}`);
  const batch = mill.decodePoints(encoder.encode(lines.join("\n")), { category, form: "lp", precision: "ms" });
  const taken = await store.ingest("one", category, id, batch);
  batch.release();
  return taken;
}

async function reopened(folder: string) {
  const lines: string[] = [];
  let lost = 0;
  const events = {
    info: () => {},
    warn: (line: string) => lines.push(line),
    lost: (points: number) => (lost += points),
    problem: (reason: string | undefined) => lines.push(`problem: ${reason}`),
  };
  const store = await openedStore({ folder, now: () => now, mill, events });
  onTestFinished(() => store.close());
  return { store, lines, lost: () => lost, counts: () => counts(store) };
}

/** Returns the numbers of metrics, logs, network points and traces in the store. */
async function counts(store: SegmentStore): Promise<number[]> {
  const found: number[] = [];
  for (const namespace of ["M", "L", "N", "T"]) {
    const request = { queries: [{ query: `${namespace}::m:(count(v))`, time_range: [now - 3_600_000, now] }] };
    const { series } = await runQuery(readRequest(request).queries[0]!, await store.engine("one"), { now });
    found.push(Number(series[0]?.values[0]?.[1] ?? 0));
  }
  return found;
}

const whole = [100, 100, 100, 70];

function files(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** Returns the names of the segment files with network points. */
const ofNetwork = (folder: string, ending: string) => files(path.join(folder, "segments", "network"), ending)[0]!;

function flip(file: string, share: number): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length * share);
  bytes[at] = bytes[at]! ^ 0xff;
  writeFileSync(file, bytes);
}

it("opens with all points and knows the ids of all batches when nothing is damaged", async () => {
  const { store, lines, counts } = await reopened(await filled());
  expect(await counts()).toEqual(whole);
  expect(lines).toEqual([]);
  expect(await put(store, "network", "packed-network", 100)).toEqual({ points: 0, repeated: true });
  expect(await put(store, "tracing", "logged-2", 40)).toEqual({ points: 0, repeated: true });
});

it.each([
  ["deleted", (file: string) => rmSync(file), "the file is missing"],
  ["cut by 100 bytes", (file: string) => truncateSync(file, readFileSync(file).length - 100), "the file has"],
] as const)("sets a segment aside whose Parquet file was %s", async (_, damage, reason) => {
  const folder = await filled();
  damage(ofNetwork(folder, ".parquet"));
  const { store, lines, lost, counts } = await reopened(folder);
  expect(await counts()).toEqual([100, 100, 0, 70]);
  expect(lost()).toBe(100);
  expect(lines).toEqual([expect.stringContaining("damaged segment with 100 points of network/")]);
  expect(lines[0]).toContain(reason);
  expect(await put(store, "network", "more", 5)).toEqual({ points: 5, repeated: false });
});

it("finds a flipped byte of a Parquet file, sets the segment aside, and serves the rest", async () => {
  const folder = await filled();
  flip(ofNetwork(folder, ".parquet"), 0.3);
  const { lines, lost, counts } = await reopened(folder);
  await expect.poll(lost).toBe(100);
  expect(await counts()).toEqual([100, 100, 0, 70]);
  expect(lines).toEqual([expect.stringContaining("the file has changed since it was written")]);
  expect(files(path.join(folder, "damaged"), ".parquet")).toHaveLength(1);
});

it.each([
  ["deleted", (file: string) => rmSync(file)],
  ["changed", (file: string) => flip(file, 0.5)],
])("rebuilds a file of keys that was %s", async (_, damage) => {
  const folder = await filled();
  damage(ofNetwork(folder, ".keys.json"));
  const { store, lines, lost, counts } = await reopened(folder);
  expect(await counts()).toEqual(whole);
  expect(lost()).toBe(0);
  expect(lines).toEqual([expect.stringContaining("has made the file of keys of")]);
  const { queries } = readRequest({ queries: [{ query: "show_network_field(from=['m'])" }] });
  const { series } = await runQuery(queries[0]!, await store.engine("one"), { now });
  expect(series[0]!.values.map(([key]) => key).sort()).toEqual(["t", "text", "v"]);
});

it.each([
  ["deleted", (file: string) => rmSync(file)],
  ["changed", (file: string) => flip(file, 0.5)],
  ["emptied", (file: string) => truncateSync(file, 0)],
])("rebuilds a manifest that was %s", async (_, damage) => {
  const folder = await filled();
  damage(path.join(folder, "manifest.json"));
  const { lines, lost, counts } = await reopened(folder);
  expect(await counts()).toEqual(whole);
  expect(lost()).toBe(0);
  expect(lines).toEqual([expect.stringContaining("it is made again from the files that are there")]);
});

it("refuses a store of a later version, and reports what to do", async () => {
  const folder = await filled();
  const file = path.join(folder, "manifest.json");
  const { crc32 } = await import("node:zlib");
  const line = JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8").split("\n")[0]!), format: 2 });
  writeFileSync(file, `${line}\n${crc32(line).toString(16).padStart(8, "0")}\n`);
  await expect(openedStore({ folder, now: () => now, mill })).rejects.toThrow(
    "the points store has format 2, this program reads up to 1: start the later version",
  );
});

it("sets an invalid registry database aside, and keeps all points", async () => {
  const folder = await filled();
  writeFileSync(path.join(folder, "registry.sqlite"), "this is no database".repeat(100));
  for (const ending of ["-wal", "-shm"]) rmSync(path.join(folder, `registry.sqlite${ending}`), { force: true });
  const { lines, counts } = await reopened(folder);
  expect(await counts()).toEqual(whole);
  expect(lines).toEqual([expect.stringContaining("registry.sqlite of the points store cannot be read")]);
});

it("reports how many points a log has lost that was cut by 100 bytes", async () => {
  const folder = await filled();
  const [segment] = files(path.join(folder, "log"), ".seg").filter((file) => readFileSync(file).length > 1000);
  truncateSync(segment!, readFileSync(segment!).length - 100);
  const { lines, lost, counts } = await reopened(folder);
  expect(await counts()).toEqual([100, 100, 100, 30]);
  expect(lost()).toBe(40);
  expect(lines).toContainEqual(expect.stringContaining("40 of 70 points of the points store's log are lost"));
});

it("reports how many points a log has lost whose beginning was overwritten", async () => {
  const folder = await filled();
  const [segment] = files(path.join(folder, "log"), ".seg").filter((file) => readFileSync(file).length > 1000);
  const bytes = readFileSync(segment!);
  bytes.fill(0, 40, 300);
  writeFileSync(segment!, bytes);
  const { lines, lost, counts } = await reopened(folder);
  expect(await counts()).toEqual([100, 100, 100, 40]);
  expect(lost()).toBe(30);
  expect(lines).toContainEqual(expect.stringContaining("a copy of the damaged log lies in points/damaged/log-"));
});

it("reports how many points a deleted log contained", async () => {
  const folder = await filled();
  for (const name of readdirSync(path.join(folder, "log"))) rmSync(path.join(folder, "log", name), { recursive: true });
  const { lines, lost, counts } = await reopened(folder);
  expect(await counts()).toEqual([100, 100, 100, 0]);
  expect(lost()).toBe(70);
  expect(lines).toContainEqual(
    expect.stringContaining("a part of the points store's log is missing, and with it 70 points"),
  );
});

it("removes files that a crash has left and no manifest names", async () => {
  const folder = await filled();
  const place = path.dirname(ofNetwork(folder, ".parquet"));
  for (const name of ["000000000099.parquet", "000000000099.keys.json", "000000000098.parquet.new"])
    writeFileSync(path.join(place, name), "left");
  const { counts } = await reopened(folder);
  expect(await counts()).toEqual(whole);
  expect(readdirSync(place).filter((name) => /00000000009/.test(name))).toEqual([]);
});
