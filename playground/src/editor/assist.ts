// The facts that completion and hover in the script editor show: functions, parameters, keys, patterns.

import { type AssistFacts, type KeyFact, tokenize } from "../../../lib/index.ts";
import type { Language, PointRecord } from "../worker/protocol.ts";

/** Functions that return the current data for completion and hover, which call them whenever they show something. */
export interface Assist {
  language(): Language | null;
  keys(): ReadonlyMap<string, KeyFact>;
  scripts(): readonly string[];
  /** The texts of the scripts. Completion also offers the patterns that they define. */
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

/** Adds the current keys to `seen`, which holds the newest thousand keys. */
export function remember(seen: Map<string, KeyFact>, now: ReadonlyMap<string, KeyFact>): void {
  for (const [key, fact] of now) {
    seen.delete(key);
    seen.set(key, fact);
  }
  for (const key of [...seen.keys()].slice(0, Math.max(0, seen.size - maxSeenKeys))) seen.delete(key);
}

/** Returns the patterns that scripts define with `add_pattern`, by name. */
export function ownPatterns(texts: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const text of texts) {
    const { list } = tokenize(text);
    const wordAt = (index: number) => (list[index] === undefined ? "" : text.slice(list[index].at, list[index].end));
    for (let index = 0; index < list.length; index++) {
      if (wordAt(index) !== "add_pattern" || wordAt(index + 1) !== "(" || wordAt(index + 3) !== ",") continue;
      const [name, definition] = [stringOf(wordAt(index + 2)), stringOf(wordAt(index + 4))];
      if (name !== null && definition !== null) found.set(name, definition);
    }
  }
  return found;
}

/**
 * Returns the value of a string token; null for other tokens. Of an escape such as `\"`, the value has only the
 * character after the backslash.
 */
function stringOf(token: string): string | null {
  const quoted = /^("""|'''|"|')([\s\S]*)\1$/.exec(token);
  if (quoted === null) return null;
  const [, quote, text] = quoted;
  return quote!.length === 3 ? text! : text!.replaceAll(/\\(.)/g, "$1");
}

/** Returns the current data in the type that the library's completion and hover take. */
export function factsOf(assist: Assist): AssistFacts {
  const language = assist.language();
  return {
    functions: language?.functions ?? [],
    patterns: new Map([...ownPatterns(assist.texts()), ...(language?.patterns ?? [])]),
    keys: assist.keys(),
    scripts: assist.scripts(),
  };
}
