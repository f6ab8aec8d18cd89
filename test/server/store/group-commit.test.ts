// Batches that wait are stored in one transaction, and still each as a whole, once for each id, failing alone.

import { DuckDBInstance } from "@duckdb/node-api";
import { beforeEach, expect, it } from "vitest";
import { createMillrace, defaultLimits, type Encodable, type Millrace } from "../../../lib/index.ts";
import { settings } from "../../../server/store/database.ts";
import { GroupCommit, type Owner } from "../../../server/store/group-commit.ts";
import { TooManyKeys } from "../../../server/store/points-database.ts";
import { Tables } from "../../../server/store/tables.ts";

const mill = await createMillrace();
const encoder = new TextEncoder();
const instance = await DuckDBInstance.create(":memory:", { ...settings });
const connection = await instance.connect();
/** Transactions of points that were committed. */
let commits = 0;
let owner: Owner;
let workspaces = 0;
/** Points that fail when their second part is asked for. */
let failing: Encodable | null = null;

const run = connection.run.bind(connection);
connection.run = (text, values, types) => {
  if (text === "COMMIT") commits++;
  return run(text, values, types);
};

const failingMill: Pick<Millrace, "columnsUsed" | "columnChunks"> = {
  columnsUsed: mill.columnsUsed,
  *columnChunks(points, options) {
    let given = 0;
    for (const chunk of mill.columnChunks(points, options)) {
      if (points === failing && given++ > 0) throw new Error("the second part is gone");
      yield chunk;
    }
  },
};

let writing: Promise<unknown> = Promise.resolve();
const group = new GroupCommit({
  ...{ connection, mill: failingMill, now: () => 1000 },
  after: (work) => {
    const done = writing.then(work);
    writing = done;
    return done;
  },
});

beforeEach(async () => {
  owner = { tables: await Tables.open(connection, `w_${workspaces++}`), sequence: 1n };
  failing = null;
});

function points(from: number, count: number) {
  const lines = Array.from({ length: count }, (_, at) => `m,t=a v=${from + at}i ${1000 + at}`);
  return mill.decodePoints(encoder.encode(lines.join("\n")), { category: "logging", form: "lp" });
}

const put = (batchId: string, of: Encodable) =>
  group.store({ owner, category: "logging", batchId, points: of, index: "default" });

/** Columns are made in transactions of their own. */
async function known(): Promise<void> {
  await put("known", points(-1, 1));
  commits = 0;
}

async function stored(): Promise<bigint[]> {
  const read = await connection.runAndReadAll(`SELECT c0 FROM ${owner.tables.table("logging")} ORDER BY seq`);
  return read.getRows().map(([value]) => value as bigint);
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => BigInt(from + at));

it("what waits while another batch is written is one transaction", async () => {
  await known();
  const all = Array.from({ length: 9 }, (_, at) => put(`b${at}`, points(at * 10, 10)));
  const taken = await Promise.all(all);
  expect(taken).toEqual(all.map(() => ({ points: 10, repeated: false })));
  expect(await stored()).toEqual([-1n, ...numbers(0, 90)]);
  expect(commits).toBe(1);
});

it("a transaction has some 50,000 points, however many wait", async () => {
  await known();
  await Promise.all(Array.from({ length: 11 }, (_, at) => put(`b${at}`, points(at * 10_000, 10_000))));
  expect(await stored()).toEqual([-1n, ...numbers(0, 110_000)]);
  expect(commits).toBe(3);
});

it("an id that waits twice is stored once", async () => {
  await known();
  const taken = await Promise.all([put("same", points(0, 3)), put("other", points(3, 3)), put("same", points(0, 3))]);
  expect(taken.map(({ repeated }) => repeated)).toEqual([false, false, true]);
  expect(await stored()).toEqual([-1n, ...numbers(0, 6)]);
});

it("a batch that fails in its midst fails alone, leaves nothing, and may come again", async () => {
  await known();
  const broken = points(100_000, 5000);
  failing = broken;
  const all = [put("a", points(0, 3000)), put("broken", broken), put("b", points(3000, 3)), put("broken", broken)];
  const ended = await Promise.allSettled(all);
  expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
  await expect(all[1]).rejects.toThrow("the second part is gone");
  expect(await stored()).toEqual([-1n, ...numbers(0, 3003)]);
  failing = null;
  expect(await put("broken", broken)).toEqual({ points: 5000, repeated: false });
  expect(await put("a", points(0, 3000))).toEqual({ points: 0, repeated: true });
  expect(await stored()).toEqual([-1n, ...numbers(0, 3003), ...numbers(100_000, 5000)]);
});

it("a batch with too many keys fails alone", async () => {
  await known();
  const keys = Array.from({ length: 10_001 }, (_, at) => `k${at}=1i`).join(",");
  const wide = mill.decodePoints(encoder.encode(`m ${keys} 1000`), {
    ...{ category: "logging", form: "lp" },
    limits: { ...defaultLimits, maxFields: 20_000 },
  });
  const all = [put("a", points(0, 3)), put("wide", wide), put("b", points(3, 3))];
  await expect(all[1]).rejects.toThrow(TooManyKeys);
  expect((await Promise.all([all[0], all[2]])).map((taken) => taken!.points)).toEqual([3, 3]);
  expect(await stored()).toEqual([-1n, ...numbers(0, 6)]);
});

it("points of several workspaces and categories wait together", async () => {
  await known();
  const other: Owner = { tables: await Tables.open(connection, `w_${workspaces++}`), sequence: 1n };
  const [first, second] = [points(0, 2), points(2, 2)];
  await Promise.all([
    put("one", first),
    group.store({ owner: other, category: "logging", batchId: "one", points: second, index: "default" }),
    group.store({ owner, category: "network", batchId: "two", points: second, index: "default" }),
  ]);
  const count = async (table: string) =>
    (await connection.runAndReadAll(`SELECT count(*) FROM ${table}`)).getRows()[0]![0];
  expect(await count(owner.tables.table("logging"))).toBe(3n);
  expect(await count(other.tables.table("logging"))).toBe(2n);
  expect(await count(owner.tables.table("network"))).toBe(2n);
});
