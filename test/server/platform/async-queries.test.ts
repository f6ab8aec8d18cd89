// Asynchronous queries, which continue after their request was answered. The test decides when the store answers.

import { expect, it } from "vitest";
import { AsyncQueries } from "../../../server/platform/async-queries.ts";
import { createPlatformMetrics } from "../../../server/platform/metrics.ts";
import { answerQueries, type QueryContext } from "../../../server/platform/query.ts";
import type { StoreAnswer, StoreJob } from "../../../server/store/protocol.ts";

function slowStore(asynchronous = new AsyncQueries<StoreAnswer>()) {
  const jobs: StoreJob[] = [];
  const answers: ((answer: StoreAnswer) => void)[] = [];
  const asking = (workspace: string): QueryContext => ({
    store: {
      ask: (job) => {
        jobs.push(job);
        return new Promise((resolve) => answers.push(resolve));
      },
      failure: () => undefined,
      close: async () => {},
    },
    metrics: createPlatformMetrics(),
    signal: new AbortController().signal,
    asynchronous,
    workspace,
    deadlineMs: 60_000,
    now: 0,
  });
  const ask = async (member: Readonly<Record<string, unknown>>, workspace = "a") => {
    const text = await answerQueries({ queries: [{ query: "M::cpu", ...member }] }, asking(workspace));
    return (JSON.parse(text) as { content: Record<string, unknown>[] }).content[0]!;
  };
  return { jobs, answers, ask };
}

const entry = '{"series":[],"points":null,"cost":"1ms","is_running":false,"async_id":""}';
const soon = { is_async: true, async_timeout: "1ms" };

it("a slow query returns an id, under which the client gets the answer later", async () => {
  const { jobs, answers, ask } = slowStore();
  const first = await ask(soon);
  expect(first).toMatchObject({
    series: [],
    points: null,
    is_running: true,
    async_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const id = { ...soon, async_id: first.async_id };
  expect(await ask(id)).toMatchObject({ is_running: true, async_id: first.async_id });
  answers[0]!({ kind: "answer", entries: [entry] });
  expect(await ask(id)).toMatchObject({ is_running: false, cost: "1ms" });
  expect(jobs).toHaveLength(1);
});

it("an id is unknown to another workspace, and expires", async () => {
  const { answers, ask } = slowStore(new AsyncQueries({ keptMs: 1 }));
  const { async_id: id } = await ask(soon);
  await expect(ask({ async_id: id }, "b")).rejects.toThrow("parse error: async query not found");
  answers[0]!({ kind: "answer", entries: [entry] });
  await expect
    .poll(() =>
      ask({ async_id: id }).then(
        () => "there",
        (error: Error) => error.message,
      ),
    )
    .toBe("parse error: async query not found");
});

it("a failed query returns its error to the client that asks for its id", async () => {
  const { answers, ask } = slowStore();
  const { async_id: id } = await ask(soon);
  answers[0]!({ kind: "refused", reason: "queryFailed", message: "out of memory" });
  await expect(ask({ async_id: id })).rejects.toMatchObject({ code: "platform.queryFailed", message: "out of memory" });
});

it("at most 200 queries are held, counted over all workspaces", async () => {
  const most = 200;
  const asynchronous = new AsyncQueries<StoreAnswer>({ keptMs: 1 });
  const ends: ((answer: StoreAnswer) => void)[] = [];
  const hold = (at: number) => asynchronous.hold(`w${at % 3}`, new Promise((resolve) => ends.push(resolve)));
  const ids = Array.from({ length: most }, (_, at) => hold(at));
  expect(new Set(ids).size).toBe(most);
  expect(ids).not.toContain(null);
  expect([hold(0), hold(1)]).toEqual([null, null]);
  // The platform forgets an answered query after a short time (here 1 ms). Then it has room for one more query.
  ends[0]!({ kind: "answer", entries: [entry] });
  await expect.poll(() => asynchronous.find("w0", ids[0]!)).toBeUndefined();
  expect([hold(0), hold(1)]).toEqual([expect.any(String), null]);
});

it("the client waits for the answer of a query when too many queries are held", async () => {
  const asynchronous = new AsyncQueries<StoreAnswer>();
  while (asynchronous.hold("a", new Promise(() => {})) !== null);
  const { answers, ask } = slowStore(asynchronous);
  const answer = ask(soon);
  await expect.poll(() => answers.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  answers[0]!({ kind: "answer", entries: [entry] });
  expect(await answer).toMatchObject({ is_running: false });
});

it("search_timeout shortens the deadline of a query, but never extends it", async () => {
  const { jobs, answers, ask } = slowStore();
  for (const [timeout, deadlineMs] of [
    ["1.5s", 1500],
    ["2h", 60_000],
  ] as const) {
    const answer = ask({ search_timeout: timeout });
    await expect.poll(() => jobs.length).toBe(answers.length);
    expect(jobs.at(-1)).toMatchObject({ deadlineMs, now: 0 });
    answers.at(-1)!({ kind: "answer", entries: [entry] });
    await answer;
  }
});
