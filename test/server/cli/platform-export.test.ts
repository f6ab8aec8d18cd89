// `millrace platform export`: the line protocol equals the written points, and tables have a column for each key.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, it } from "vitest";
import { Point, pointDifference } from "../../../lib/index.ts";
import { exportPoints } from "../../../server/cli/platform/export.ts";
import { pointsIdOf } from "../../../server/platform/metadata/ids.ts";
import { openedStore } from "../store/opened.ts";
import { millrace } from "../support/millrace.ts";
import { folder, platform, write } from "../support/running-platform.ts";
import { dataFolder, logged, makeOriginalStore, mill, pointsOf, put, sharedRows, time } from "./platform-store.ts";

makeOriginalStore();

/**
 * Points with unusual values and names. Half of the points are in a segment, and half are in the store's log,
 * which contains points until they are packed into a segment. The points are network points, because metrics
 * cannot have string values.
 */
const odd: readonly string[] = [
  "m i=9223372036854775807i,j=-9223372036854775808i,k=9007199254740993i 1700000000000000001",
  "m u=18446744073709551615u 1700000000000000002",
  "m f=1,g=0.1,h=1e300,z=-0.5 1700000000000000003",
  "m t=true,f=false 1700000000000000004",
  String.raw`m,a\ b=c\,d\=e s="q\"uote \\ back",x\,y\=z=1i 1700000000000000005`,
  'm\\ n s="line\nbreak",e="" 1700000000000000006',
  "m,host=A V=1i,v=2i 1700000000000000007",
  'm,ü=ß s="日本" 1700000000000000008',
];

async function oddStore(): Promise<string> {
  const dataDir = folder();
  const store = await openedStore({ folder: pointsOf(dataDir), mill });
  await put(store, "one", "network", "a", odd.slice(0, 4));
  await store.pack();
  await put(store, "one", "network", "b", odd.slice(4));
  await store.close();
  return dataDir;
}

const run = (dataDir: string, ...args: string[]) => exportPoints(["--data-dir", dataDir, ...args]);

/** Parses line protocol and returns its points, ordered by time. */
function decoded(text: string) {
  const options = { category: "network", form: "lp", precision: "n" } as const;
  const batch = mill.decodePoints(new TextEncoder().encode(text), options);
  return Array.from(batch, (point) => Point.copyOf(point)).sort((a, b) => Number(a.time - b.time));
}

it("line protocol contains exactly the written values: 64-bit and unsigned integers, booleans, escapes", async () => {
  const [dataDir, out] = [await oddStore(), folder()];
  expect(await run(dataDir, "--format", "lp", "--out", out)).toBe(0);
  const text = readFileSync(path.join(out, "one", "network.lp"), "utf8");
  const [before, after] = [decoded(odd.join("\n")), decoded(text)];
  expect(after.length).toBe(odd.length);
  for (const [at, point] of before.entries()) expect(pointDifference(point, after[at]!)).toBe(null);
  expect(text).toContain("u=18446744073709551615u");
});

it.each([
  ["parquet", (file: string) => `read_parquet('${file}')`],
  ["csv", (file: string) => `read_csv('${file}', types = {'u': 'UBIGINT'})`],
])("%s has a column for each key, and the points of segments and log", async (format, read) => {
  const [dataDir, out] = [await oddStore(), folder()];
  expect(await run(dataDir, "--format", format, "--out", out)).toBe(0);
  const file = path.join(out, "one", `network.${format}`);
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const rows = await connection.runAndReadAll(
    `SELECT count(*), max(i), max(u), max("time"), count("x,y=z"), max("V"), max("v:int") FROM ${read(file)}`,
  );
  expect(rows.getRows()[0]!.map(String)).toEqual([
    "8",
    "9223372036854775807",
    "18446744073709551615",
    "1700000000000000008",
    "1",
    "1",
    "2",
  ]);
});

it.each([
  ["a workspace", ["--workspace", "two"], { two: sharedRows }],
  ["a category", ["--category", "metric"], { one: sharedRows + logged, two: sharedRows }],
  ["a time", ["--category", "metric", "--from", String(time + BigInt(sharedRows))], { one: logged, two: 0 }],
  ["times", ["--workspace", "one", "--category", "metric", "--to", "2023-11-14T22:13:20Z"], { one: 1 }],
] as const)("exports the points of %s only", async (_name, args, expected) => {
  const out = folder();
  expect(await run(dataFolder(), "--format", "lp", "--out", out, ...args)).toBe(0);
  const counts = ["one", "two"].flatMap((workspace) => {
    const file = path.join(out, workspace, "metric.lp");
    return existsSync(file) ? [[workspace, readFileSync(file, "utf8").split("\n").length - 1] as const] : [];
  });
  expect(Object.fromEntries(counts)).toEqual(expected);
});

it("writes one category to standard output, and nothing else", async () => {
  const all = ["--format", "lp", "--category", "metric", "--out", "-"];
  const args = ["platform", "export", ...all, "--data-dir", dataFolder()];
  const { code, out, err } = await millrace([...args, "--workspace", "one"]);
  expect(code).toBe(0);
  expect(out.split("\n").filter((line) => !/^m,host=h\d r=\d+i,v=\d+i \d+$/.test(line))).toEqual([""]);
  expect(out.split("\n").length - 1).toBe(sharedRows + logged);
  expect(err).toContain(`exported ${sharedRows + logged} points`);
  const both = await millrace(args);
  expect([both.code, both.out, both.err]).toEqual([2, "", expect.stringContaining("name one with --workspace")]);
});

it("exports each acknowledged point once while points come and are packed", async () => {
  const dataDir = folder();
  const { url, token } = await platform(dataDir, { PLATFORM_HOT_POINTS: "1000", PLATFORM_MERGE_FILES: "2" });
  let acknowledged = 0;
  let isOver = false;
  const writing = (async () => {
    for (let batch = 0; !isOver; batch++) {
      const lines = Array.from({ length: 200 }, (_, at) => `m id=${batch * 200 + at}i`);
      expect((await write(url, token, lines.join("\n"))).status).toBe(200);
      acknowledged = (batch + 1) * 200;
    }
  })();
  await expect.poll(() => acknowledged).toBeGreaterThan(3000);
  const least = acknowledged;
  const args = ["--format", "lp", "--category", "metric", "--out", "-"];
  const { code, out } = await millrace(["platform", "export", ...args, "--data-dir", dataDir]);
  isOver = true;
  await writing;
  expect(code).toBe(0);
  const ids = Array.from(out.matchAll(/ id=(\d+)i /g), ([, id]) => Number(id));
  expect(ids.length).toBeGreaterThanOrEqual(least);
  expect([...new Set(ids)].sort((a, b) => a - b)).toEqual(Array.from({ length: ids.length }, (_, at) => at));
});

it("--workspace accepts the token of a workspace", async () => {
  const [dataDir, out] = [folder(), folder()];
  const token = "tkn_0123456789abcdef";
  const store = await openedStore({ folder: pointsOf(dataDir), mill });
  await put(store, pointsIdOf(token), "metric", "a", odd);
  await store.close();
  expect(await run(dataDir, "--format", "lp", "--workspace", token, "--out", out)).toBe(0);
  expect(existsSync(path.join(out, pointsIdOf(token), "metric.lp"))).toBe(true);
});

it.each([
  [["--format", "xml", "--out", "x"], /choose a format/],
  [["--format", "lp"], /name the folder/],
  [["--format", "csv", "--out", "-"], /standard output takes one category/],
  [["--format", "lp", "--category", "nope", "--out", "x"], /unknown category/],
  [["--format", "lp", "--from", "soon", "--out", "x"], /--from: not a time/],
])("export refuses %j", async (args, reason) => {
  await expect(run(dataFolder(), ...args)).rejects.toThrow(reason);
});
