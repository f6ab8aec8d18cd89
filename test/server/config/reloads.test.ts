import { setImmediate as turn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { createReloads } from "../../../server/config/reloads.ts";

const longMs = 3_600_000;

function started(gapMs: () => number = () => 0) {
  const waits: number[] = [];
  const ends: (() => void)[] = [];
  const reloads = createReloads({
    reload: () => new Promise((resolve) => void ends.push(resolve)),
    gapMs,
    onWait: (ms) => void waits.push(ms),
  });
  onTestFinished(() => {
    for (const end of ends) end();
    return reloads.close();
  });
  return { reloads, waits, ends };
}

it("joins all requests before a reload into one reload, and all requests during it into one more", async () => {
  const { reloads, ends } = started();
  for (let at = 0; at < 100; at++) reloads.ask();
  await turn();
  expect(ends).toHaveLength(1);
  for (let at = 0; at < 100; at++) {
    reloads.ask();
    await turn();
  }
  expect(ends).toHaveLength(1);
  ends[0]!();
  await expect.poll(() => ends.length).toBe(2);
  ends[1]!();
  await turn();
  expect(ends).toHaveLength(2);
});

it("starts the first reload at once, and waits between one reload and the next", async () => {
  const { reloads, waits, ends } = started(() => longMs);
  reloads.ask();
  await turn();
  expect([ends.length, waits.length]).toEqual([1, 0]);
  ends[0]!();
  await turn();
  for (let at = 0; at < 195; at++) {
    reloads.ask();
    await turn();
  }
  expect(ends).toHaveLength(1);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThan(longMs / 2);
  expect(waits[0]).toBeLessThanOrEqual(longMs);
});

it("starts no reload after close, and close waits for the running reload", async () => {
  const { reloads, ends } = started(() => longMs);
  reloads.ask();
  await turn();
  reloads.ask();
  let isClosed = false;
  const closed = reloads.close().then(() => {
    isClosed = true;
  });
  await turn();
  expect(isClosed).toBe(false);
  ends[0]!();
  await closed;
  reloads.ask();
  await turn();
  expect(ends).toHaveLength(1);
});
