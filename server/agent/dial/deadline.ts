// Work that ends when its time is up, or when nobody waits for it any more.

import { formatDuration } from "../../config/go-duration.ts";

/** The time of a test is up. */
export class TimedOut extends Error {}

/** The signal given to the work is aborted with TimedOut at the deadline, or with the reason of the outer one. */
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

/** The same; the reason is thrown when the signal is aborted, whatever the work does. */
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

/** Why the work ended early; undefined when it did not. */
export function earlyEnd({ aborted, reason }: AbortSignal): string | undefined {
  return aborted ? (reason as Error).message : undefined;
}
