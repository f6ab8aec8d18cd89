import { expect, it } from "vitest";
import type { Ingest } from "../../../../../server/agent/ingest/ingest.ts";
import { createDeliver, type Origin } from "../../../../../server/agent/inputs/delivery/deliver.ts";
import { bodyHead, LineBody } from "../../../../../server/agent/inputs/delivery/line-body.ts";
import { ApiError, type ErrorCode } from "../../../../../server/http/errors.ts";

const origin: Origin = { source: "web", tags: [["team", "x"]], place: "/var/log/a" };

interface Delivered {
  readonly isDone: boolean;
  readonly stored: readonly string[];
  readonly attempts: number;
  readonly log: readonly string[];
  readonly skipped: number;
}

/**
 * Delivers events with these messages to an ingest that the test provides. The ingest calls `failure` at each attempt
 * to deliver a body, with the number of the attempt (from 1). It throws the error that `failure` returns, or accepts
 * the body when `failure` returns undefined.
 */
async function delivered(
  messages: readonly string[],
  failure: (attempt: number, messages: readonly string[], close: () => void) => Error | undefined,
): Promise<Delivered> {
  const closing = new AbortController();
  const stored: string[] = [];
  const lines: string[] = [];
  let attempts = 0;
  const ingest: Ingest = async ({ body, earlyTags, category, hostTags, matchesByName }) => {
    expect([earlyTags, category]).toEqual([[["team", "x"]], "logging"]);
    expect([hostTags, matchesByName]).toEqual([true, true]);
    const sent = Array.from(
      Buffer.from(body)
        .toString()
        .matchAll(/message="(\w+)"/g),
      ([, message]) => message!,
    );
    const error = failure(++attempts, sent, () => closing.abort());
    if (error !== undefined) throw error;
    stored.push(...sent);
    return undefined;
  };
  let skipped = 0;
  const say = (text: string) => {
    lines.push(text);
  };
  const log = { debug: say, info: say, warn: say, error: say } as never;
  const aborted = new AbortController().signal;
  const deliver = createDeliver({
    input: "tail",
    ingest,
    now: () => 0n,
    log,
    onWait: () => {},
    onSkip: () => skipped++,
    closing: closing.signal,
    aborted,
  });
  const body = new LineBody();
  for (const message of messages) body.addMessage(bodyHead("web"), Buffer.from(message));
  const isDone = await deliver(origin, body);
  return { isDone, stored, attempts, log: lines, skipped };
}

const events = ["a", "b", "c", "d", "e"];
const error = (code: ErrorCode) => new ApiError(code, "why");

it("delivers all events at once", async () => {
  expect(await delivered(events, () => undefined)).toMatchObject({
    isDone: true,
    stored: events,
    attempts: 1,
    log: [],
  });
});

it.each(["agent.queueFull", "agent.tooManyWritesWaiting", "agent.queueFailed"] as ErrorCode[])(
  "retries after %s, and logs one line at the beginning and one at the end",
  async (code) => {
    const result = await delivered(events, (attempt) => (attempt < 4 ? error(code) : undefined));
    expect(result).toMatchObject({ isDone: true, stored: events, attempts: 4, skipped: 0 });
    expect(result.log).toEqual([expect.stringContaining("events wait"), expect.stringContaining("takes events again")]);
  },
);

it.each(events)("skips only the event %s, which is refused permanently", async (bad) => {
  const refuse = (_: number, sent: readonly string[]) => (sent.includes(bad) ? error("agent.bodyTooLarge") : undefined);
  const result = await delivered(events, refuse);
  expect(result).toMatchObject({ isDone: true, stored: events.filter((each) => each !== bad), skipped: 1 });
  expect(result.log).toEqual([expect.stringContaining("/var/log/a: an event is skipped")]);
});

it("skips an event that repeatedly causes an internal error of the agent", { timeout: 60_000 }, async () => {
  const fail = (_: number, sent: readonly string[]) =>
    sent.includes("b") ? error("agent.internalServerError") : undefined;
  expect(await delivered(["a", "b"], fail)).toMatchObject({ isDone: true, stored: ["a"], skipped: 1 });
});

it("stops retrying when the input closes, and stores no events", async () => {
  const fail = (_attempt: number, _sent: readonly string[], close: () => void) => {
    close();
    return error("agent.queueFull");
  };
  expect(await delivered(events, fail)).toMatchObject({ isDone: false, stored: [], attempts: 1 });
});
