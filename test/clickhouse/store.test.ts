// The points store in ClickHouse: each point is stored once, even if a write is repeated or its answer is lost; values
// are exact, limits hold, and names may contain any characters.

import { afterAll, beforeAll, expect, it } from "vitest";
import { type Answer, readRequest, runQuery } from "../../lib/dql/index.ts";
import { raw, sql } from "../../lib/dql/sql/fragment.ts";
import { Point } from "../../lib/point/point.ts";
import { Float, type PointValue, Uint } from "../../lib/point/value.ts";
import { Key } from "../../lib/point/view.ts";
import { Connection, serverAddress } from "../../server/store/clickhouse/connection.ts";
import { schemaStatements } from "../../server/store/clickhouse/schema.ts";
import { ClickStore } from "../../server/store/clickhouse.ts";
import { QueryTimeout } from "../../server/store/points-database.ts";
import { now } from "../lib/dql/sample-data.ts";
import { type ClickHouseEngine, startEngine } from "./engine.ts";

let clickhouse: ClickHouseEngine;
let store: ClickStore;

const opened = (database: string, memory = 0) =>
  ClickStore.open({ url: clickhouse.url(database), cluster: "", memory, queryTimeoutMs: 30_000, now: () => now });

beforeAll(async () => {
  clickhouse = await startEngine();
  store = await opened("store");
});

afterAll(async () => {
  await store?.close();
  await clickhouse?.close();
});

function point(
  name: string,
  fields: Readonly<Record<string, PointValue>>,
  tags: Readonly<Record<string, string>> = {},
) {
  const made = new Point(name, BigInt(now) * 1_000_000n - 5n);
  for (const [key, value] of Object.entries(tags)) made.setTag(new Key(key), value);
  for (const [key, value] of Object.entries(fields)) made.setField(new Key(key), value);
  return made;
}

async function ask(query: string, workspace = "own", from = store): Promise<Answer> {
  const { queries } = readRequest({ queries: [{ query }] });
  return await runQuery(queries[0]!, await from.engine(workspace), { now });
}

async function valuesOf(query: string, workspace?: string, from?: ClickStore): Promise<unknown[]> {
  return (await ask(query, workspace, from)).series.flatMap(({ values }) => values.map((row) => row.slice(1)));
}

it("keeps the last change of labels by any platform, separately for each workspace", async () => {
  const object = (name: string) => ({ id: name, objectClass: "HOST", objectName: name, key: "name", value: name });
  // Starts two platforms over one database. Each reading of the test's clock advances the clock, so the first platform
  // has the earlier start time.
  let clock = now;
  const both = [];
  for (const writer of [1, 2])
    both.push(
      await ClickStore.open({
        ...{ url: clickhouse.url("labels"), cluster: "", memory: 0, queryTimeoutMs: 30_000, writer },
        now: () => ++clock,
      }),
    );
  const [first, second] = both as [ClickStore, ClickStore];
  const shown = async (workspace: string) =>
    (await (await second.engine(workspace)).labels("object")).map(({ objectName, labels }) => [objectName, labels]);
  await first.label("own", object("h2"), ["a"]);
  await second.label("own", object("h1"), ["b"]);
  await second.label("other", object("h1"), ["foreign"]);
  await first.label("own", object("h1"), ["c", "it's \\"]);
  expect(await shown("own")).toEqual([
    ["h1", ["c", "it's \\"]],
    ["h2", ["a"]],
  ]);
  await second.label("own", object("h2"), null);
  await first.label("own", object("h3"), null);
  expect(await shown("own")).toEqual([["h1", ["c", "it's \\"]]]);
  await first.label("own", object("h2"), []);
  expect(await shown("own")).toEqual([
    ["h1", ["c", "it's \\"]],
    ["h2", []],
  ]);
  expect(await shown("other")).toEqual([["h1", ["foreign"]]]);
  // Next, a point of the class HOST is stored in the category `custom_object`. The category `object` has no
  // point of this class. From now on, the labels of the class HOST therefore belong to `custom_object`. So the
  // test expects that the query for labels of the category `object` returns none.
  await first.ingest("own", "custom_object", "custom", [point("HOST", { f: 1 }, { name: "h1" })]);
  clock += 10_000;
  expect(await shown("own")).toEqual([]);
  for (const each of both) await each.close();
});

it("stores a repeated batch only once for each workspace", async () => {
  const points = [point("again", { f: 1 }), point("again", { f: 2 })];
  expect(await store.ingest("own", "metric", "one", points)).toEqual({ points: 2, repeated: false });
  expect(await store.ingest("own", "metric", "one", points)).toEqual({ points: 0, repeated: true });
  expect(await store.ingest("other", "metric", "one", points)).toEqual({ points: 2, repeated: false });
  expect(await valuesOf("M::again:(count(*))")).toEqual([[2n]]);
});

it("stores a batch once when the answer to its insert is lost and the batch is sent again", async () => {
  const points = Array.from({ length: 500 }, (_, at) => point("lost", { f: at }));
  await clickhouse.loseAnswer("points_logging");
  await expect(store.ingest("own", "logging", "lost-1", points)).rejects.toThrow();
  expect(await store.ingest("own", "logging", "lost-1", points)).toEqual({ points: 500, repeated: false });
  expect(await valuesOf("L::lost:(count(*))")).toEqual([[500n]]);
});

it("finds keys that another platform wrote, and gives the points of two platforms different ids", async () => {
  const other = await opened("store");
  await other.ingest("shared", "logging", "b1", [point("x", { from_other: 1 })]);
  await store.ingest("shared", "logging", "b2", [point("x", { from_this: 1 })]);
  const ids = await valuesOf("L::x:(__docid) [1h]", "shared");
  expect(new Set(ids.map(String)).size).toBe(2);
  expect(await valuesOf("L::x:(count(from_other), count(from_this)) [1h]", "shared")).toEqual([[1n, 1n]]);
  await other.close();
});

it("returns every kind of value unchanged", async () => {
  const values: Readonly<Record<string, PointValue>> = {
    int: 2n ** 63n - 1n,
    least: -(2n ** 63n),
    uint: new Uint(2n ** 64n - 1n),
    whole: new Float(1),
    small: new Float(5e-324),
    bool: false,
    text: "a\n\t'\"\\`\u0000{p0:String} ?\u2028日本",
    bytes: new Uint8Array([0, 255, 39, 92]),
  };
  await store.ingest("own", "logging", "values", [point("values", values)]);
  const { series } = await ask(`L::values:(${Object.keys(values).join(", ")}) [1h]`);
  expect(series[0]!.values[0]!.slice(1)).toEqual([
    ...[2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n, 1, 5e-324, false],
    ...[values.text, values.bytes],
  ]);
});

it("finds keys with any characters, also when a point has many keys", async () => {
  const names = [
    "a'b",
    'c"d',
    "e\\",
    "f`g",
    "h\ni",
    "{p0:String}",
    "__proto__",
    "constructor",
    "?",
    "日本",
    "] OR 1 --",
    "z",
  ];
  const fields = Object.fromEntries(names.map((name, at) => [name, at]));
  Object.defineProperty(fields, "__proto__", { value: 6, enumerable: true });
  await store.ingest("own", "logging", "keys", [point("keys", fields)]);
  const rows = await valuesOf("L::keys [1h]");
  expect(rows.flat().filter((value) => typeof value === "bigint").length).toBeGreaterThanOrEqual(names.length);
  expect(await valuesOf("L::keys:(sum(`a'b`), sum(`__proto__`), sum(`{p0:String}`)) [1h]")).toEqual([[0n, 6n, 5n]]);
});

it("accepts a database name with any characters and keeps the databases separate", async () => {
  const names = ["a`b", "c\\d", "e'f", "`; DROP DATABASE store; --"];
  for (const name of names) {
    const odd = await opened(encodeURIComponent(name));
    await odd.ingest("own", "metric", "one", [point("odd", { name })]);
    expect(await valuesOf("M::odd:(name)", "own", odd)).toEqual([[name]]);
    await odd.close();
  }
  expect(await valuesOf("M::again:(count(*))")).toEqual([[2n]]);
});

it("deletes old points of every workspace, and keeps the points of other categories", async () => {
  for (const workspace of ["own", "other"]) {
    for (const category of ["keyevent", "security"] as const)
      await store.ingest(workspace, category, `old-${category}`, [point("old", { f: 1 })]);
  }
  expect(await store.expire({ keyevent: BigInt(now) * 1_000_000n })).toBe(2);
  for (const workspace of ["own", "other"]) {
    expect(await valuesOf("E::old:(count(*)) [1h]", workspace)).toEqual([]);
    expect(await valuesOf("S::old:(count(*)) [1h]", workspace)).toEqual([[1n]]);
  }
});

it("sends each query with its limits and as read-only", async () => {
  const limited = await opened("store", 256_000_000);
  await valuesOf("M::again:(count(*))", "own", limited);
  const { settings } = (await clickhouse.log()).at(-1)!;
  expect(settings).toMatchObject({ readonly: "2", max_execution_time: "30", max_memory_usage: "256000000" });
  await limited.close();
  const connection = new Connection(serverAddress(clickhouse.url("store")), 60_000);
  const limits = { signal: new AbortController().signal, timeoutMs: 30_000, memory: 0 };
  await expect(connection.query(raw("DROP TABLE store.keys"), limits)).rejects.toThrow(/READONLY|readonly/);
  const slow = sql`SELECT sum(sleepEachRow(0.2)) FROM numbers(${30n}) SETTINGS max_block_size = 1`;
  await expect(connection.query(slow, { ...limits, timeoutMs: 900 })).rejects.toThrow(QueryTimeout);
  const large = sql`SELECT length(groupArray(number)) FROM numbers(${20_000_000n})`;
  await expect(connection.query(large, { ...limits, memory: 10_000_000 })).rejects.toThrow(/memory limit/i);
  await connection.close();
});

it("a cancelled query fails at once and is stopped on the server", async () => {
  const connection = new Connection(serverAddress(clickhouse.url("store")), 60_000);
  const cancel = new AbortController();
  const limits = { signal: cancel.signal, timeoutMs: 30_000, memory: 0 };
  const slow = connection.query(
    sql`SELECT sum(sleepEachRow(0.1)) FROM numbers(${15n}) SETTINGS max_block_size = 1`,
    limits,
  );
  const failed = expect(slow).rejects.toThrow();
  setTimeout(() => cancel.abort(), 200);
  await failed;
  await expect(connection.query(sql`SELECT 1`, limits)).rejects.toThrow();
  const killed = async () =>
    (await clickhouse.log()).some(({ statement }) => /^KILL QUERY WHERE query_id = '/.test(statement));
  await expect.poll(killed, { timeout: 10_000 }).toBe(true);
  await connection.close();
});

it("answers a query with more parameters than a URL can hold", async () => {
  const list = Array.from({ length: 3000 }, (_, at) => `'value number ${at}'`).join(", ");
  expect(await valuesOf(`L::lost:(count(*)) {message IN [${list}]} [1h]`)).toEqual([]);
  expect(await valuesOf(`L::lost:(count(*)) {source IN ['lost', ${list}]} [1h]`)).toEqual([[500n]]);
});

it("ClickHouse can parse the statements that create the tables of a cluster", async () => {
  const connection = new Connection(serverAddress(clickhouse.url("store")), 60_000);
  const statements = schemaStatements({ database: "mill`race", cluster: "main'1" });
  expect(statements.length).toBeGreaterThan(20);
  for (const statement of statements) await connection.command(`EXPLAIN AST ${statement}`);
  await connection.close();
});
