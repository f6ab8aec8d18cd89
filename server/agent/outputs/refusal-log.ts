// Logs writes that a queue or an output file refuses. Joins several refusals into one log line, since there may be
// thousands of refusals in a second.

import type { Log } from "../../telemetry/log.ts";
import { carried } from "./pass-through.ts";

const onceMs = 1000;

/**
 * Returns a function that logs refused writes. Logs the first refusal of a queue at once; logs the refusals of the
 * following second in one line.
 */
export function createRefusalLog(
  log: Log,
  refuser: "queue" | "output" = "queue",
): (category: string, points: number, reason: string) => void {
  const held = new Map<string, { writes: number; points: number; reason: string }>();
  return (category, points, reason) => {
    const known = held.get(category);
    if (known !== undefined) {
      Object.assign(known, { writes: known.writes + 1, points: known.points + points, reason });
      return;
    }
    log.error(`${refuser}: ${carried(category, points)} refused: ${reason}`);
    const more = { writes: 0, points: 0, reason };
    held.set(category, more);
    setTimeout(() => {
      held.delete(category);
      if (more.writes === 0) return;
      log.error(
        `${refuser}: ${more.writes} more writes with ${carried(category, more.points)} refused: ${more.reason}`,
      );
    }, onceMs).unref();
  };
}
