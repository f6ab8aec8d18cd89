// Tests how often a repeated task runs: with the usual pauses, with pauses that a caller shortens, and not at all after
// it was ended.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRepeated } from "../../../server/time/repeated.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts a task that takes `taskMs` milliseconds, and notes the times at which it begins. */
function started(usualPauseMs: () => number, taskMs = 0) {
  const began: number[] = [];
  const first = performance.now();
  const task = async () => {
    began.push(Math.round(performance.now() - first));
    await new Promise((resolve) => setTimeout(resolve, taskMs));
  };
  return { began, repeated: createRepeated(task, usualPauseMs) };
}

it("runs at once, and again after each pause; the pause is asked for after each run", async () => {
  let pause = 100;
  const { began } = started(() => pause, 10);
  await vi.advanceTimersByTimeAsync(150);
  expect(began).toEqual([0, 110]);
  pause = 1000;
  await vi.advanceTimersByTimeAsync(1500);
  expect(began).toEqual([0, 110, 220, 1230]);
});

it("soon() shortens a pause, and never lengthens one", async () => {
  const { began, repeated } = started(() => 1000);
  await vi.advanceTimersByTimeAsync(100);
  repeated.soon(50);
  repeated.soon(500);
  await vi.advanceTimersByTimeAsync(100);
  expect(began).toEqual([0, 150]);
  await vi.advanceTimersByTimeAsync(900);
  expect(began).toEqual([0, 150]);
});

it("soon() during a run shortens one pause, counted from the end of the run", async () => {
  const { began, repeated } = started(() => 1000, 100);
  await vi.advanceTimersByTimeAsync(50);
  repeated.soon(20);
  await vi.advanceTimersByTimeAsync(1500);
  expect(began).toEqual([0, 120, 1220]);
});

it("close waits for the run in progress", async () => {
  const { began, repeated } = started(() => 10, 100);
  await vi.advanceTimersByTimeAsync(50);
  let hasEnded = false;
  void repeated.close().then(() => {
    hasEnded = true;
  });
  repeated.soon(0);
  await vi.advanceTimersByTimeAsync(40);
  expect(hasEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(1000);
  expect([hasEnded, began]).toEqual([true, [0]]);
});
