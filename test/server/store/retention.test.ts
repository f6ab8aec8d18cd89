// Retention: points older than the setting of their category are deleted in every workspace, and their disk space is
// used again.

import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readRequest, runQuery } from "../../../lib/dql/index.ts";
import { type CategoryName, createMillrace } from "../../../lib/index.ts";
import { retentionByCategory, retentionMs } from "../../../server/config/retention.ts";
import { retentionMistakes } from "../../../server/config/table-mistakes.ts";
import { startRetention } from "../../../server/platform/retention.ts";
import type { StoreAnswer, StoreJob } from "../../../server/store/protocol.ts";
import type { SegmentStore } from "../../../server/store/segments/store.ts";
import { openedStore, removeStore, storeFolder } from "./opened.ts";

const dayMs = 86_400_000;
const now = 1_700_000_000_000;
const mill = await createMillrace();
const encoder = new TextEncoder();

async function fileStore(clock = () => now) {
  const folder = storeFolder();
  onTestFinished(() => removeStore(folder));
  const store = await openedStore({ folder, now: clock, mill });
  onTestFinished(() => store.close());
  const bytes = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.name.endsWith(".parquet"))
      .reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
  return { store, bytes };
}

async function put(store: SegmentStore, workspace: string, category: CategoryName, id: string, lines: string[]) {
  const batch = mill.decodePoints(encoder.encode(lines.join("\n")), { category, form: "lp", precision: "ms" });
  try {
    return await store.ingest(workspace, category, id, batch);
  } finally {
    batch.release();
  }
}

async function count(store: SegmentStore, workspace: string, namespace: string): Promise<bigint> {
  const { queries } = readRequest({
    queries: [{ query: `${namespace}::*:(count(*))`, time_range: [1, now], max_duration: "100y" }],
  });
  const { series } = await runQuery(queries[0]!, await store.engine(workspace), { now });
  return (series[0]?.values[0]?.[1] as bigint | undefined) ?? 0n;
}

it.each(["hot", "packed"])(
  "deletes old points by category in every workspace, and keeps younger points: %s points",
  async (state) => {
    const { store } = await fileStore();
    for (const workspace of ["one", "two"]) {
      for (const category of ["metric", "logging"] as const)
        await put(
          store,
          workspace,
          category,
          category,
          [1, 5, 9].map((days) => `m,t=${days} v=${days}i ${now - days * dayMs}`),
        );
    }
    if (state === "packed") await store.pack();
    const before = BigInt(now - 7 * dayMs) * 1_000_000n;
    expect(await store.expire({ logging: before }, 0)).toBe(2);
    expect(await store.expire({ logging: before }, 0)).toBe(0);
    for (const workspace of ["one", "two"]) {
      expect(await count(store, workspace, "L")).toBe(2n);
      expect(await count(store, workspace, "M")).toBe(3n);
    }
  },
);

it("ids of batches are forgotten after their retention time, not before", async () => {
  let clock = now;
  const { store } = await fileStore(() => clock);
  const again = () => put(store, "one", "metric", "id", [`m v=1i ${now}`]);
  expect(await again()).toEqual({ points: 1, repeated: false });
  await store.expire({}, now - dayMs);
  clock += dayMs;
  expect(await again()).toEqual({ points: 0, repeated: true });
  await store.expire({}, now + 1);
  expect(await again()).toEqual({ points: 1, repeated: false });
});

it("the space of deleted points is reused: files do not grow while as much is deleted as written", async () => {
  const { store, bytes } = await fileStore();
  const day = async (number: number) => {
    const lines = Array.from({ length: 20_000 }, (_, at) => {
      const noise = (Math.imul(at + number * 20_000, 0x9e3779b1) >>> 0).toString(36);
      return `log,host=h${at % 9} message="${noise} a line of day ${number}, number ${at}" ${now - (40 - number) * dayMs + at}`;
    });
    await put(store, "one", "logging", `day-${number}`, lines);
    await store.pack();
    await store.expire({ logging: BigInt(now - (40 - number + 3) * dayMs) * 1_000_000n }, 0);
    return bytes();
  };
  const sizes: number[] = [];
  for (let number = 0; number < 10; number++) sizes.push(await day(number));
  const most = Math.max(...sizes) * 1.1;
  for (let number = 10; number < 20; number++) {
    await day(number);
    // The store removes old files while it does other work, so its files may be larger than allowed for a moment.
    await expect.poll(bytes, { timeout: 20_000 }).toBeLessThanOrEqual(most);
  }
  await store.expire({ logging: BigInt(now) * 1_000_000n }, now + 1);
  await expect.poll(bytes).toBeLessThan(most / 2);
});

it("the timer requests deletions by its clock, one after the other", async () => {
  let tick = () => {};
  let stopped = false;
  const asked: StoreJob[] = [];
  let answer: (given: StoreAnswer) => void = () => {};
  const told: number[] = [];
  const expired: number[] = [];
  const lines: string[] = [];
  const log = {
    isDebug: false,
    debug: () => {},
    info: (line: string) => lines.push(line),
    warn: () => {},
    error: (line: string) => lines.push(line),
  };
  const stop = startRetention({
    kept: retentionByCategory({ logging: "2d", default: "12h", nowhere: "1d" }),
    batchIdsMs: 5000,
    everyMs: 60_000,
    replaysMs: 1000,
    replays: { expire: async (before) => expired.push(before) * 0 },
    store: {
      ask: (job) => {
        asked.push(job);
        return new Promise((resolve) => (answer = resolve));
      },
      failure: () => undefined,
      close: async () => {},
    },
    log: log as never,
    now: () => now,
    every: (ms, work) => {
      expect(ms).toBe(60_000);
      tick = work;
      return () => (stopped = true);
    },
    deleted: (points) => told.push(points),
  });
  tick();
  tick();
  expect(asked).toHaveLength(1);
  expect(expired).toEqual([now - 1000]);
  const [job] = asked as [StoreJob & { kind: "expire" }];
  expect(job.batchesBefore).toBe(now - 5000);
  expect(job.before.logging).toBe(BigInt(now - 2 * dayMs) * 1_000_000n);
  expect(job.before.metric).toBe(BigInt(now - dayMs / 2) * 1_000_000n);
  answer({ kind: "expired", points: 7 });
  await expect.poll(() => told).toEqual([7]);
  expect(lines).toEqual(["7 points were kept long enough and are deleted"]);
  tick();
  expect(asked).toHaveLength(2);
  answer({ kind: "refused", reason: "storeFailed", message: "disk full" });
  await expect.poll(() => lines.at(-1)).toBe("old points could not be deleted: disk full");
  stop();
  expect(stopped).toBe(true);
});

it("retention times are days or durations; other texts are mistakes", () => {
  expect(["30d", "12h", "1h30m", "0s", "-1h", "x", "1.5d"].map(retentionMs)).toEqual([
    30 * dayMs,
    dayMs / 2,
    5_400_000,
    ...[undefined, undefined, undefined, undefined],
  ]);
  expect([...retentionByCategory({ logging: "1d", metric: "soon" })]).toEqual([["logging", dayMs]]);
  expect(retentionMistakes({ logging: "1d", metric: "soon", logs: "1d", default: "1h" })).toEqual([
    { path: ["logs"], text: expect.stringMatching(/^ is unknown; the keys are metric, .*, default$/) },
    { path: ["metric"], text: ' must be a time such as 30d or 12h, got the text "soon"' },
  ]);
});

it("deletes while points are written and packed all the time", async () => {
  const store = await openedStore({ now: () => now, mill, hot: { points: 5, ms: 600_000 }, mergeFiles: 2 });
  onTestFinished(() => store.close());
  const writes = Array.from({ length: 40 }, (_, at) =>
    put(store, "one", "logging", `w${at}`, [`m v=${at}i ${now - dayMs}`, `m v=${at}i ${now - 9 * dayMs}`]),
  );
  const before = BigInt(now - 7 * dayMs) * 1_000_000n;
  const deletions = Array.from({ length: 10 }, () => store.expire({ logging: before }, 0));
  await Promise.all([...writes, ...deletions]);
  await store.expire({ logging: before }, 0);
  await store.pack();
  expect(await count(store, "one", "L")).toBe(40n);
});
