// A match of a regular expression, as the callers of the library get it.

import type { EncodedText } from "./encoded-text.ts";

/** A range `[start, end)` of the input: UTF-16 indexes of a string, byte offsets of bytes. */
export type Span = readonly [start: number, end: number];

/** A match. Its offsets are UTF-16 indexes of a string, or byte offsets of bytes. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /**
   * The range of each group by its number; group 0 is the whole match. Null for a group that took no part in the match.
   */
  readonly groups: readonly (Span | null)[];
  /**
   * The range of each named group. When several groups have the same name, the last of them that took part in the match
   * counts.
   */
  readonly names: Readonly<Record<string, Span | null>>;
}

/** Makes a match from its slots: the byte offsets of the start and the end of each group. */
export function matchOf(names: readonly (string | null)[], text: EncodedText, slots: Int32Array): RegexMatch {
  const groups: (Span | null)[] = [];
  const named = Object.create(null) as Record<string, Span | null>;
  for (let group = 0; group < names.length; group++) {
    const start = slots[group * 2] as number;
    const span: Span | null = start < 0 ? null : [text.outside(start), text.outside(slots[group * 2 + 1] as number)];
    groups.push(span);
    const name = names[group] as string | null;
    if (name !== null) named[name] = span ?? named[name] ?? null;
  }
  const [start, end] = groups[0] as Span;
  return { start, end, groups, names: named };
}
