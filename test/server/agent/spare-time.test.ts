// Tests how the agent decides whether its process has spare time, which is processor time for optional work such
// as compression.

import { expect, it } from "vitest";
import { createSpareTime } from "../../../server/agent/spare-time.ts";

/** The load of the process during an interval of 200 ms. */
interface Span {
  /** The share of the interval in which the process was busy, from 0 to 1. */
  readonly utilization?: number;
  /**
   * The number of writes passed to worker threads in the interval. `waiting` counts the writes among them that arrived
   * while another write was already waiting.
   */
  readonly writes?: number;
  readonly waiting?: number;
}

const idle: Span = {};
const full: Span = { utilization: 0.95 };
const queued: Span = { utilization: 0.3, writes: 5, waiting: 3 };

/** Returns for each interval whether processor time is left at its end. */
function leftAfter(spans: readonly Span[]): boolean[] {
  let now = 1000;
  let utilization = 0;
  const spareTime = createSpareTime({ now: () => now, utilization: () => utilization });
  return spans.map((span) => {
    for (let at = 0; at < (span.writes ?? 0); at++) spareTime.noteWrite(at < (span.waiting ?? 0));
    utilization = span.utilization ?? 0;
    now += 200;
    return spareTime.isLeft;
  });
}

it.each<[string, readonly Span[], readonly boolean[]]>([
  ["a thread that waits for work", [idle, { utilization: 0.9 }, { utilization: 0.85 }], [true, true, true]],
  ["a thread that always has some, from the second span on", [full, full, full], [true, false, false]],
  ["one full span, such as that of the start", [full, idle, full, idle], [true, true, true, true]],
  ["writes of which most wait", [queued, queued], [true, false]],
  ["writes of which half wait", [queued, { writes: 6, waiting: 3 }, queued], [true, true, true]],
  ["the one and the other in turn", [full, queued, full], [true, false, false]],
  ["full spans that come to an end", [full, full, idle, full, full], [true, false, true, true, false]],
  ["counts that each span begins anew", [queued, { writes: 1, waiting: 0 }, queued, queued], [true, true, true, false]],
])("%s", (_name, spans, expected) => {
  expect(leftAfter(spans)).toEqual(expected);
});

it("reads the utilization once per span", () => {
  let now = 0;
  let asked = 0;
  const spareTime = createSpareTime({
    now: () => now,
    utilization: () => {
      asked++;
      return 1;
    },
  });
  for (; now < 1000; now += 10) void spareTime.isLeft;
  expect(asked).toBe(4);
});
