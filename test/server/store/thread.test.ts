// The thread of the points store: it ends properly during any job, and keeps running after a job fails.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import type { Worker } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import type { StoreEvent, StoreJob, StoreStart } from "../../../server/store/protocol.ts";
import type { StartThread } from "../../../server/store/store.ts";
import { storeFolder } from "./opened.ts";

// Imports the compiled JavaScript, because the thread starts from a file beside it.
const dist = new URL("../../../dist/", import.meta.url).href;
const { openStore } = (await import(
  /* @vite-ignore */ `${dist}server/store/store.js`
)) as typeof import("../../../server/store/store.ts");
const wasm = new WebAssembly.Module(readFileSync(new URL("lib/wasm/millrace.wasm", dist)));
const now = 1_700_000_000_000;

const startOf = (folder: string): StoreStart => ({
  wasm,
  folder,
  memoryLimit: "512MB",
  clickhouse: null,
  queryTimeoutMs: 60_000,
  maxQueries: 2,
  maxQueryBytes: 0,
  hot: { points: 1_000_000, ms: 600_000 },
  mergeFiles: 8,
  keys: { maxKeys: 1000, maxNames: 1000 },
});
const open = (folder = storeFolder(), tell?: (event: StoreEvent) => void) => openStore(startOf(folder), tell);

function ingest(workspace: string, batchId: string, points: number): StoreJob {
  const lines = Array.from({ length: points }, (_, at) => `log,host=h${at % 9} v=${at}i,text="line ${at}" ${now - at}`);
  const body = new TextEncoder().encode(lines.join("\n"));
  return {
    kind: "ingest",
    workspace,
    category: "logging",
    batchId,
    form: "lp",
    precision: "ms",
    index: "default",
    maxPoints: 0,
    maxBytes: Number.POSITIVE_INFINITY,
    body,
  };
}

function query(workspace: string, text: string): StoreJob {
  const request = { queries: [{ query: text, time_range: [now - 86_400_000, now], disable_slimit: true }] };
  return { kind: "query", workspace, request, deadlineMs: 60_000, now };
}

const expire: StoreJob = { kind: "expire", before: { logging: BigInt(now - 5_000) * 1_000_000n }, batchesBefore: now };

/**
 * Three queries: the database computes the first, Millrace computes the second from rows of the database, and both
 * compute parts of the third.
 */
const questions = ["L::log:(count(*), p95(v)) BY text", "L::log:(mode(v)) BY text", "L::log:(text) ORDER BY v"];

it("closes while queries, writes and a deletion run, and each of them gets an answer", {
  timeout: 120_000,
}, async () => {
  for (let round = 0; round < 4; round++) {
    const folder = mkdtempSync(path.join(tmpdir(), "millrace-thread-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = await open(path.join(folder, "points"));
    const workspaces = ["one", "two"];
    for (const workspace of workspaces)
      expect(await store.ask(ingest(workspace, "first", 4_000))).toMatchObject({ kind: "taken", points: 4_000 });
    const asked = workspaces.flatMap((workspace) => [
      store.ask(ingest(workspace, "second", 100)),
      ...questions.map((text) => store.ask(query(workspace, text))),
    ]);
    const expired = store.ask(expire);
    // Each round closes the store at another moment: at once, or when some of the jobs are done.
    if (round > 0) await Promise.race(round === 1 ? [asked[0]] : round === 2 ? asked.slice(1) : [expired]);
    await store.close();
    for (const answer of await Promise.all(asked)) {
      if (answer.kind === "refused")
        expect(answer).toEqual({ kind: "refused", reason: "queryCancelled", message: "the store closes" });
      else expect(["answer", "taken"]).toContain(answer.kind);
    }
    expect(await expired).toMatchObject({ kind: "expired" });
    await expect(store.ask(expire)).rejects.toThrow("the points store is closed");
  }
});

it("a failed deletion of old points is refused, and the store continues", async () => {
  const store = await open();
  onTestFinished(() => store.close());
  await store.ask(ingest("one", "first", 10));
  expect(await store.ask({ kind: "expire", before: {}, batchesBefore: Number.NaN })).toMatchObject({
    kind: "refused",
    reason: "storeFailed",
    message: expect.stringContaining("NaN"),
  });
  expect(store.failure()).toBeUndefined();
  expect(await store.ask(query("one", "L::log:(count(*))"))).toMatchObject({ kind: "answer" });
});

it("starts a thread again that ended by itself: jobs are refused meanwhile, and no point is lost", async () => {
  const events: StoreEvent[] = [];
  const threads: Worker[] = [];
  const note = (thread: Worker) => void threads.push(thread);
  process.on("worker", note);
  onTestFinished(() => void process.off("worker", note));
  const store = await open(storeFolder(), (event) => events.push(event));
  onTestFinished(() => store.close());
  expect(await store.ask(ingest("one", "first", 10))).toMatchObject({ kind: "taken", points: 10 });
  const underWay = store.ask(query("one", questions[2]!));
  await threads.at(-1)!.terminate();
  expect([await underWay, await store.ask(ingest("one", "second", 10))]).toEqual(
    Array(2).fill({
      kind: "refused",
      reason: "storeFailed",
      message: expect.stringMatching(/^the points store ended/),
    }),
  );
  expect(store.failure()).toMatch(/^the points store ended/);
  await expect.poll(() => store.failure()).toBeUndefined();
  const problems = events.flatMap((event) => (event.kind === "problem" ? [event.reason] : []));
  expect(problems).toEqual([expect.stringMatching(/^the points store ended/), null]);
  expect(await store.ask(ingest("one", "first", 10))).toMatchObject({ kind: "taken", repeated: true });
  expect(await store.ask(query("one", "L::log:(count(*))"))).toMatchObject({
    kind: "answer",
    entries: [expect.stringMatching(/"values":\[\[null,10\]\]/)],
  });
});

it.each(["database has been invalidated", "FATAL Error: Failed: database has been invalidated"])(
  "a client's text that looks like a fatal error does not end the thread: %s",
  async (text) => {
    const threads: Worker[] = [];
    const note = (thread: Worker) => void threads.push(thread);
    process.on("worker", note);
    onTestFinished(() => void process.off("worker", note));
    const events: StoreEvent[] = [];
    const store = await open(storeFolder(), (event) => events.push(event));
    onTestFinished(() => store.close());
    const lines = (body: string): StoreJob =>
      Object.assign(ingest("one", body, 0), { body: new TextEncoder().encode(body) });
    const refused: readonly (readonly [job: StoreJob, reason: string])[] = [
      [lines(text), "invalidPoints"],
      [lines(`log,a=b v="${text}`), "invalidPoints"],
      [query("one", `L::log {text = re('${text}[')}`), "queryParseError"],
    ];
    for (const [job, reason] of refused)
      expect(await store.ask(job)).toEqual({ kind: "refused", reason, message: expect.stringContaining(text) });
    expect(await store.ask(ingest("one", "last", 1))).toMatchObject({ kind: "taken", points: 1 });
    expect([threads.length, store.failure(), events]).toEqual([1, undefined, []]);
  },
);

it.each([
  [
    "keeps the problem of a restarted thread",
    "the disk is full",
    ["the points store ended with 1", "the disk is full"],
  ],
  ["clears the problem of the thread before it", undefined, ["the points store ended with 1", null]],
])("a restart %s", async (_what, own, told) => {
  const reasons: (string | null)[] = [];
  const threads: Parameters<StartThread>[] = [];
  const startThread: StartThread = async (...thread) => {
    threads.push(thread);
    // The first thread has failed, and the second thread replaces it. While the second thread opens the store, it
    // reports a problem.
    if (threads.length === 2 && own !== undefined) thread[1]({ kind: "problem", reason: own });
    return { ask: async () => ({ kind: "done" }), close: async () => {} };
  };
  const note = (event: StoreEvent) => void (event.kind === "problem" && reasons.push(event.reason));
  const store = await openStore(startOf(""), note, startThread);
  onTestFinished(() => store.close());
  expect(store.failure()).toBeUndefined();
  threads[0]![2](new Error("the points store ended with 1"));
  expect(store.failure()).toBe("the points store ended with 1");
  // The store accepts jobs again as soon as the new thread has started.
  await expect.poll(() => store.ask(expire)).toEqual({ kind: "done" });
  expect([store.failure(), reasons]).toEqual([own, told]);
  threads[1]![1]({ kind: "problem", reason: null });
  expect(store.failure()).toBeUndefined();
});
