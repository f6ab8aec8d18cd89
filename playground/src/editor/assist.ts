// What the script editor knows: functions, parameters, keys, patterns. Completion and hover read it from here.

import type { FunctionDoc, Kind } from "../../../lib/index.ts";
import type { Language, PointRecord } from "../worker/protocol.ts";

export interface KeyFact {
  readonly kind: Kind;
  readonly isTag: boolean;
  /** The value in the point that is selected, or in the first one that has the key. */
  readonly sample: string;
}

/** Asked whenever something is shown, so that it is always that of the moment. */
export interface Assist {
  language(): Language | null;
  keys(): ReadonlyMap<string, KeyFact>;
  scripts(): readonly string[];
}

/** The keys of points as they come out and as they came in. */
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

/** Notes the facts of now in `seen`; the oldest keys of more than a thousand go. */
export function remember(seen: Map<string, KeyFact>, now: ReadonlyMap<string, KeyFact>): void {
  for (const [key, fact] of now) {
    seen.delete(key);
    seen.set(key, fact);
  }
  for (const key of [...seen.keys()].slice(0, Math.max(0, seen.size - maxSeenKeys))) seen.delete(key);
}

export function functionNamed(language: Language | null, name: string): FunctionDoc | undefined {
  return language?.functions.find((each) => each.name === name || each.aliases.includes(name));
}

/** `grok(input, pattern, [trim_space]) → bool` */
export function signature({ name, params, returns }: FunctionDoc): string {
  const list = params.map((param) => (param.optional ? `[${param.name}]` : param.name)).join(", ");
  return `${name}(${list})${returns === undefined ? "" : ` → ${returns}`}`;
}

/** The string or call around a place, as far as one line of text tells. */
export interface Surroundings {
  /** The text of an open string before the place; null outside of strings. */
  readonly inString: string | null;
  readonly inComment: boolean;
  /** The call whose parentheses are open. */
  readonly call: string | null;
  /** The place is directly behind a `.`, so no function or variable fits. */
  readonly afterDot: boolean;
}

export function surroundings(before: string): Surroundings {
  const calls: (string | null)[] = [];
  let quote = "";
  let from = 0;
  for (let at = 0; at < before.length; at++) {
    const character = before[at]!;
    if (quote !== "") {
      if (quote.length === 1 && character === "\\") at++;
      else if (quote.length === 1 && character === "\n") quote = "";
      else if (before.startsWith(quote, at)) {
        at += quote.length - 1;
        quote = "";
      }
    } else if (character === '"' || character === "'") {
      quote = before.startsWith(character.repeat(3), at) ? character.repeat(3) : character;
      at += quote.length - 1;
      from = at + 1;
    } else if (character === "#") {
      const end = before.indexOf("\n", at);
      if (end < 0) return { inString: null, inComment: true, call: null, afterDot: false };
      at = end;
    } else if ("([{".includes(character))
      calls.push(character === "(" ? (/([A-Za-z_]\w*)\s*$/.exec(before.slice(0, at))?.[1] ?? null) : null);
    else if (")]}".includes(character)) calls.pop();
  }
  return {
    inString: quote === "" ? null : before.slice(from),
    inComment: false,
    call: calls.at(-1) ?? null,
    afterDot: /\.\s*\w*$/.test(before) && !/\d\.\w*$/.test(before),
  };
}
