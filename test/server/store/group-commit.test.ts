// Group commit: batches that wait at the same time are stored in one transaction. Still each batch is stored completely
// or not at all, a repeated id is stored only once, and a batch that fails does not make the others fail.

import { beforeEach, expect, it, onTestFinished } from "vitest";
import { plainQuery, runQuery } from "../../../lib/dql/index.ts";
import { createMillrace, defaultLimits, type Encodable, type Millrace } from "../../../lib/index.ts";
import { TooManyKeys } from "../../../server/store/points-database.ts";
import { GroupCommit } from "../../../server/store/segments/group-commit.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { openedStore } from "./opened.ts";

const mill = await createMillrace();
const encoder = new TextEncoder();
const now = 1_700_000_000_000;
let store: SegmentStore;
/** Points that the store cannot store completely: reading their second chunk throws an error. Null in most tests. */
let failing: Encodable | null = null;

const failingMill: Millrace = {
  ...mill,
  *columnChunks(points, options) {
    let given = 0;
    for (const chunk of mill.columnChunks(points, options)) {
      if (points === failing && given++ > 0) throw new Error("the second part is gone");
      yield chunk;
    }
  },
};

beforeEach(async () => {
  failing = null;
  const own = await openedStore({ mill: failingMill, now: () => now, keys: { maxKeys: 10_000, maxNames: 10 } });
  store = own;
  onTestFinished(() => own.close());
});

function points(from: number, count: number) {
  const lines = Array.from({ length: count }, (_, at) => `m,t=a v=${from + at}i ${now}`);
  return mill.decodePoints(encoder.encode(lines.join("\n")), { category: "logging", form: "lp", precision: "ms" });
}

const put = (batchId: string, of: Encodable, workspace = "w", category: "logging" | "network" = "logging") =>
  store.ingest(workspace, category, batchId, of);

async function stored(workspace = "w", namespace = "L"): Promise<bigint[]> {
  const member = { ...plainQuery(`${namespace}::m:(v) LIMIT 500000`), timeRange: [now - 1, now + 1] };
  const { series } = await runQuery(member, await store.engine(workspace), { now, maxLimit: 500_000 });
  return (series[0]?.values ?? []).map(([, value]) => value as bigint).sort((a, b) => Number(a - b));
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => BigInt(from + at));

it("commits batches that wait during a write together, in groups of about 50,000 points", async () => {
  const groups: number[] = [];
  let writing: Promise<void> = Promise.resolve();
  const group = new GroupCommit<{ readonly points: Encodable }>({
    after: (work) => {
      writing = writing.then(work);
      return writing;
    },
    commit: async (writes) => {
      groups.push(writes.length);
      return writes.map(() => ({ points: 1, repeated: false }));
    },
  });
  const small = points(0, 10);
  await Promise.all(Array.from({ length: 9 }, () => group.store({ points: small })));
  expect(groups).toEqual([9]);
  const large = points(0, 10_000);
  await Promise.all(Array.from({ length: 11 }, () => group.store({ points: large })));
  expect(groups).toEqual([9, 5, 5, 1]);
});

it("stores a batch once when its id is waiting twice", async () => {
  const taken = await Promise.all([put("same", points(0, 3)), put("other", points(3, 3)), put("same", points(0, 3))]);
  expect(taken.map(({ repeated }) => repeated)).toEqual([false, false, true]);
  expect(await stored()).toEqual(numbers(0, 6));
});

it("refuses only a batch that fails midway, keeps nothing of it, and accepts it when it is repeated", async () => {
  const broken = points(100_000, 5000);
  failing = broken;
  const all = [put("a", points(0, 3000)), put("broken", broken), put("b", points(3000, 3)), put("broken", broken)];
  const ended = await Promise.allSettled(all);
  expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected"]);
  await expect(all[1]).rejects.toThrow("the second part is gone");
  expect(await stored()).toEqual(numbers(0, 3003));
  failing = null;
  expect(await put("broken", broken)).toEqual({ points: 5000, repeated: false });
  expect(await put("a", points(0, 3000))).toEqual({ points: 0, repeated: true });
  expect(await stored()).toEqual([...numbers(0, 3003), ...numbers(100_000, 5000)]);
});

it("refuses only the batch that has too many keys", async () => {
  const keys = Array.from({ length: 10_001 }, (_, at) => `k${at}=1i`).join(",");
  const wide = mill.decodePoints(encoder.encode(`m ${keys} 1000`), {
    ...{ category: "logging", form: "lp" },
    limits: { ...defaultLimits, maxFields: 20_000 },
  });
  const all = [put("a", points(0, 3)), put("wide", wide), put("b", points(3, 3))];
  await expect(all[1]).rejects.toThrow(TooManyKeys);
  expect((await Promise.all([all[0], all[2]])).map((taken) => taken!.points)).toEqual([3, 3]);
  expect(await stored()).toEqual(numbers(0, 6));
});

it("stores points of several workspaces and categories together", async () => {
  await Promise.all([
    put("one", points(0, 2)),
    put("one", points(2, 2), "other"),
    put("two", points(2, 2), "w", "network"),
  ]);
  expect(await stored()).toEqual(numbers(0, 2));
  expect(await stored("other")).toEqual(numbers(2, 2));
  expect(await stored("w", "N")).toEqual(numbers(2, 2));
});
