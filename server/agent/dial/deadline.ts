// Runs an asynchronous function. Aborts it when its time limit is reached, or when the signal of the caller
// aborts.

import { formatDuration } from "../../config/go-duration.ts";

/** Thrown when the time limit of a dial test is reached. */
export class TimedOut extends Error {}

/**
 * Calls `work` with an AbortSignal. The signal aborts with the error TimedOut after `milliseconds`. It also
 * aborts when the signal `outer` aborts, with the same reason as `outer`.
 */
export async function withSignal<T>(
  milliseconds: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timeUp = () =>
    controller.abort(new TimedOut(`timeout after ${formatDuration(BigInt(Math.round(milliseconds * 1e6)))}`));
  const timer = setTimeout(timeUp, Math.min(milliseconds, 2 ** 31 - 1));
  const end = () => controller.abort(outer.reason);
  outer.addEventListener("abort", end, { once: true });
  if (outer.aborted) end();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", end);
  }
}

/**
 * Calls `work` with an AbortSignal that aborts after `milliseconds` or when the signal `outer` aborts. The returned
 * promise rejects as soon as the signal aborts, even when `work` continues.
 */
export function withDeadline<T>(
  milliseconds: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withSignal(milliseconds, outer, (signal) => Promise.race([work(signal), aborted(signal)]));
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}

/** Returns the message of the reason why the signal aborted; undefined when it has not aborted. */
export function abortMessage({ aborted, reason }: AbortSignal): string | undefined {
  return aborted ? (reason as Error).message : undefined;
}
