// A compiled grok expression: matches text and gives its fields, trimmed and typed (grok document, sections 2.3 to 2.5).

import { Float, type Integer, integer } from "../point/value.ts";
import { compileRegex, type Regex } from "../regex/regex.ts";
import { expand } from "./expand.ts";
import { fitsInt64, parseFloat64, parseInteger } from "./number-text.ts";
import type { FieldType, PatternSource } from "./patterns.ts";

export type Captured = string | Integer | Float | boolean;

interface Field {
  readonly name: string;
  readonly type: FieldType;
  /** Groups of this name, in order of their left parentheses. */
  readonly groups: readonly number[];
}

/** Unicode's White_Space: with U+0085, without U+FEFF, other than the host's trim(). */
const SPACE = "[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const LEADING = new RegExp(`^${SPACE}`);
const TRAILING = new RegExp(`${SPACE}$`);

export function trimSpace(text: string): string {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  // Nearly all text begins and ends with a visible ASCII character.
  if (first > 0x20 && first < 0x80 && last > 0x20 && last < 0x80) return text;
  const start = LEADING.exec(text)?.[0].length ?? 0;
  let end = text.length;
  while (end > start && TRAILING.test(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

export function convert(text: string, type: FieldType): Captured {
  switch (type) {
    case "string":
      return text;
    case "int": {
      const value = parseInteger(text.replace(/\.0+$/, ""), 0);
      return value !== undefined && fitsInt64(value) ? integer(value) : 0;
    }
    case "float":
      return new Float(parseFloat64(text) ?? 0);
    case "bool":
      return /^(?:1|t|T|true|TRUE|True)$/.test(text);
  }
}

export class Grok {
  /** Names of the fields, each once. */
  readonly names: readonly string[];
  private readonly regex: Regex;
  private readonly fields: readonly Field[];
  private readonly unique: boolean;

  private constructor(regex: Regex, types: ReadonlyMap<string, FieldType>) {
    const groups = new Map<string, number[]>();
    regex.names.forEach((name, group) => {
      if (name !== null) groups.set(name, [...(groups.get(name) ?? []), group]);
    });
    this.regex = regex;
    this.fields = Array.from(groups, ([name, its]) => ({ name, groups: its, type: types.get(name) ?? "string" }));
    this.names = this.fields.map((field) => field.name);
    this.unique = this.fields.every((field) => field.groups.length === 1);
  }

  /** Throws GrokError for a bad reference and RegexSyntaxError for a bad expression. */
  static compile(expression: string, patterns: PatternSource): Grok {
    const { regex, types } = expand(expression, patterns);
    return new Grok(compileRegex(regex, { namedOnly: true }), types);
  }

  /**
   * Calls `write` with the index in `names` and the value of every field, in order of the deciding groups; false when
   * the text does not match. A group that took no part counts as empty text.
   */
  match(text: string, trim: boolean, write: (field: number, value: Captured) => void): boolean {
    const captures = this.regex.captures(text);
    if (captures === null) return false;
    const give = (index: number, group: number) => {
      const captured = captures[group] ?? "";
      write(index, convert(trim ? trimSpace(captured) : captured, (this.fields[index] as Field).type));
    };
    if (this.unique) {
      this.fields.forEach((field, index) => {
        give(index, field.groups[0] as number);
      });
      return true;
    }
    // Of several groups of one name the last that took part decides, and its place is the field's place.
    const deciding = this.fields.map((field, index) => ({
      index,
      group: field.groups.findLast((group) => captures[group] !== undefined) ?? (field.groups.at(-1) as number),
    }));
    deciding.sort((a, b) => a.group - b.group);
    for (const { index, group } of deciding) give(index, group);
    return true;
  }
}
