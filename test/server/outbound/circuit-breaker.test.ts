// A circuit breaker stops requests to a service that failed. The test checks for how long.

import { expect, it, vi } from "vitest";
import { createCircuitBreaker } from "../../../server/outbound/circuit-breaker.ts";

/** Returns how long the breaker stays open, that is, stops requests, in milliseconds. */
function openMs(breaker: ReturnType<typeof createCircuitBreaker>): number {
  const began = performance.now();
  while (breaker.isOpen) vi.advanceTimersByTime(100);
  return performance.now() - began;
}

it("stays open longer after each consecutive failure; simultaneous failures count as one", () => {
  vi.useFakeTimers({ toFake: ["performance", "Date", "setTimeout"] });
  try {
    const breaker = createCircuitBreaker();
    const begun = performance.now();
    vi.advanceTimersByTime(10);
    for (let count = 0; count < 12; count++) breaker.note(false, begun);
    expect(openMs(breaker)).toBe(1000);
    breaker.note(false, performance.now());
    expect(openMs(breaker)).toBe(2000);
    breaker.note(true);
    expect(breaker.isOpen).toBe(false);
    vi.advanceTimersByTime(1);
    breaker.note(false, performance.now());
    expect(openMs(breaker)).toBe(1000);
  } finally {
    vi.useRealTimers();
  }
});
