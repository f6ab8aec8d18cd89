// The data that completion and hover in the script editor show: functions, keys and patterns.

import type { KeyFact } from "../../../lib/index.ts";
import type { Language, PointRecord } from "../worker/protocol.ts";

/**
 * Functions that return the current data for completion and hover. Completion and hover call these functions each time
 * that they show something.
 */
export interface Assist {
  language(): Language | null;
  keys(): ReadonlyMap<string, KeyFact>;
  scripts(): readonly string[];
  /**
   * The texts of the scripts. Completion offers the patterns that these scripts define, in addition to the built-in
   * patterns.
   */
  texts(): readonly string[];
}

/** Returns the keys of points, both the points after the script and the input points. */
export function keysOf(records: readonly PointRecord[]): Map<string, KeyFact> {
  const keys = new Map<string, KeyFact>();
  for (const { after, before } of records) {
    for (const point of [after, before]) {
      for (const { key, kind, isTag, text } of point?.entries ?? [])
        if (!keys.has(key)) keys.set(key, { kind, isTag, sample: text });
    }
  }
  return keys;
}

const maxSeenKeys = 1000;

/**
 * Adds `now`, the keys of the points that the page shows now, to `seen`, the keys of earlier points. Afterwards `seen`
 * holds at most a thousand keys: those that were added most recently.
 */
export function remember(seen: Map<string, KeyFact>, now: ReadonlyMap<string, KeyFact>): void {
  for (const [key, fact] of now) {
    seen.delete(key);
    seen.set(key, fact);
  }
  for (const key of [...seen.keys()].slice(0, Math.max(0, seen.size - maxSeenKeys))) seen.delete(key);
}
