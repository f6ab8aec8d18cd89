// The facts for the script editor: functions, parameters, keys, patterns. Completion and hover read them here.

import type { AssistFacts, KeyFact } from "../../../lib/index.ts";
import type { Language, PointRecord } from "../worker/protocol.ts";

/** Returns the current facts; called whenever something is shown. */
export interface Assist {
  language(): Language | null;
  keys(): ReadonlyMap<string, KeyFact>;
  scripts(): readonly string[];
}

/** Returns the keys of points, as they come out and as they came in. */
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

/** Adds the current facts to `seen`; keeps the newest thousand keys. */
export function remember(seen: Map<string, KeyFact>, now: ReadonlyMap<string, KeyFact>): void {
  for (const [key, fact] of now) {
    seen.delete(key);
    seen.set(key, fact);
  }
  for (const key of [...seen.keys()].slice(0, Math.max(0, seen.size - maxSeenKeys))) seen.delete(key);
}

/** Returns the current facts in the form that the library's completion and hover need. */
export function factsOf(assist: Assist): AssistFacts {
  const language = assist.language();
  return {
    functions: language?.functions ?? [],
    patterns: language?.patterns ?? new Map(),
    keys: assist.keys(),
    scripts: assist.scripts(),
  };
}
