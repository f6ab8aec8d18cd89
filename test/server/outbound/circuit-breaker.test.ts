// How long a circuit breaker avoids a failed service.

import { expect, it, vi } from "vitest";
import { createRest } from "../../../server/outbound/circuit-breaker.ts";

/** Returns the milliseconds for which the breaker stays open from now on. */
function restMs(rest: ReturnType<typeof createRest>): number {
  const began = performance.now();
  while (rest.isResting) vi.advanceTimersByTime(100);
  return performance.now() - began;
}

it("grows with failures that follow each other, not with those that fail together", () => {
  vi.useFakeTimers({ toFake: ["performance", "Date", "setTimeout"] });
  try {
    const rest = createRest();
    const begun = performance.now();
    vi.advanceTimersByTime(10);
    for (let count = 0; count < 12; count++) rest.note(false, begun);
    expect(restMs(rest)).toBe(1000);
    rest.note(false, performance.now());
    expect(restMs(rest)).toBe(2000);
    rest.note(true);
    expect(rest.isResting).toBe(false);
    vi.advanceTimersByTime(1);
    rest.note(false, performance.now());
    expect(restMs(rest)).toBe(1000);
  } finally {
    vi.useRealTimers();
  }
});
