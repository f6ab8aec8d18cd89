// Tests the inbox, which passes requests to the thread of the points store. Requests may arrive in any order,
// both between two jobs and during a job.

import { expect, it } from "vitest";
import { Inbox, JobEnded } from "../../../server/store/inbox.ts";
import type { Numbered, StoreAnswer, StoreJob, StoreRequest } from "../../../server/store/protocol.ts";

const job = (id: number): Numbered<StoreRequest> => ({
  id,
  content: { kind: "query", workspace: "w", request: {}, deadlineMs: 1000, now: id },
});
const cancel = (id: number): Numbered<StoreRequest> => ({ id: 0, content: { kind: "cancel", job: id } });
const close = (id: number): Numbered<StoreRequest> => ({ id, content: { kind: "close" } });

/**
 * Makes an inbox of requests. For the request with the number `id`, the inbox calls `does(id)`. `log` records the
 * events.
 */
function inboxOf(does: (id: number, end: AbortController) => Promise<void>) {
  const arrived: Numbered<StoreRequest>[] = [];
  const log: string[] = [];
  const inbox = new Inbox({
    next: () => arrived.shift(),
    answer: async (content: StoreJob, end): Promise<StoreAnswer> => {
      const { now: id } = content as StoreJob & { kind: "query" };
      log.push(`begin ${id}`);
      try {
        await does(id, end);
        end.signal.throwIfAborted();
        return { kind: "done" };
      } catch (error) {
        if (!(error instanceof JobEnded)) throw error;
        return { kind: "refused", reason: error.refusal, message: error.message };
      }
    },
    send: ({ id, content }) => log.push(`${id} ${content.kind === "refused" ? content.message : content.kind}`),
    close: async () => void log.push("closed"),
  });
  return { inbox, arrived, log };
}

const nobody = "nobody waits for the answer any more";
const ended = (end: AbortController) =>
  new Promise<void>((_, reject) => end.signal.addEventListener("abort", () => reject(end.signal.reason)));

it("a job that arrives and is cancelled while another job runs is ended", async () => {
  const { inbox, arrived, log } = inboxOf(async (id, end) => {
    if (id === 2) return await ended(end);
    if (id === 3) return;
    arrived.push(job(2));
    inbox.receive();
    arrived.push(cancel(2), job(3));
    inbox.receive();
  });
  await inbox.take(job(1));
  await expect.poll(() => log).toContain(`2 ${nobody}`);
  expect(log.filter((line) => line.startsWith("begin"))).toEqual(["begin 1", "begin 2", "begin 3"]);
  expect(log).toEqual(expect.arrayContaining(["1 done", "3 done"]));
});

it("a running job notices its cancellation at once; cancelling a finished job has no effect", async () => {
  const { inbox, arrived, log } = inboxOf(async (_, end) => {
    arrived.push(cancel(7), cancel(1));
    inbox.receive();
    expect(end.signal.aborted).toBe(true);
  });
  await inbox.take(job(1));
  await inbox.take(cancel(1));
  expect(log).toEqual(["begin 1", `1 ${nobody}`]);
});

it("close aborts the running jobs at once, and waits until they have ended", async () => {
  const { inbox, arrived, log } = inboxOf(async (id, end) => {
    if (id !== 2) return await ended(end);
    arrived.push(job(3), close(4), job(5));
    inbox.receive();
    expect(end.signal.aborted).toBe(true);
  });
  const first = inbox.take(job(1));
  await inbox.take(job(2));
  await first;
  await expect.poll(() => log).toContain("4 done");
  expect(log.slice(0, 2)).toEqual(["begin 1", "begin 2"]);
  expect(log).toEqual(expect.arrayContaining([1, 2, 3, 5].map((id) => `${id} the store closes`)));
  expect(log).not.toContain("begin 5");
  expect(log.slice(-2)).toEqual(["closed", "4 done"]);
});

it("close waits for a job that ignores its abort signal", async () => {
  let done = () => {};
  const { inbox, log } = inboxOf(() => new Promise((resolve) => (done = resolve)));
  const [working, closing] = [inbox.take(job(1)), inbox.take(close(2))];
  await Promise.resolve();
  expect(log).toEqual(["begin 1"]);
  done();
  await Promise.all([working, closing]);
  expect(log).toEqual(["begin 1", "1 the store closes", "closed", "2 done"]);
});
