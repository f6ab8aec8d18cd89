// Work that ends when its time is up, or when nobody waits for it any more.

import { formatDuration } from "../../config/go-duration.ts";

/** The time of a test is up. */
export class TimedOut extends Error {}

/** The signal given to the work is aborted at the deadline; then TimedOut is thrown, whatever the work does. */
export async function withDeadline<T>(
  milliseconds: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let end = () => {};
  const ended = new Promise<never>((_resolve, reject) => {
    end = () => {
      const error = outer.aborted
        ? new Error("nobody waits any more")
        : new TimedOut(`timeout after ${formatDuration(BigInt(Math.round(milliseconds * 1e6)))}`);
      controller.abort(error);
      reject(error);
    };
  });
  const timer = setTimeout(end, Math.min(milliseconds, 2 ** 31 - 1));
  outer.addEventListener("abort", end, { once: true });
  if (outer.aborted) end();
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", end);
    ended.catch(() => {});
  }
}
