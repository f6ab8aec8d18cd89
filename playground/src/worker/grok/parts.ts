// Finds the parts of an expression that capture: references to patterns, and groups.

import { Grok, type GrokError, RegexSyntaxError } from "./engine.ts";
import type { Capture, Part } from "./workbench.ts";

const REFERENCE = /^%\{([\w.-]+)(?::([\w.-]+)(?::[\w.-]+)?)?\}/;

/**
 * Returns the parts of a grok expression that capture. A reference without a field name captures the fields of its
 * pattern. `expression` must be valid.
 */
export function grokParts(
  expression: string,
  captures: readonly Capture[],
  patterns: Readonly<Record<string, string>>,
): Part[] {
  const index = new Map(captures.map(({ name }, at) => [name, at]));
  const parts: Part[] = [];
  const fieldsOf = fieldsOfPatterns(patterns);
  forEachToken(expression, {
    reference: (text, from) => {
      const [, name = "", alias] = REFERENCE.exec(text) ?? [];
      const names = alias === undefined ? fieldsOf(name) : [alias.replace(/\W/g, "_")];
      add(from, from + text.length, names);
    },
    group: (name, from, to) => {
      if (name !== null) add(from, to, [name]);
    },
  });
  function add(from: number, to: number, names: readonly string[]): void {
    const own = names.map((name) => index.get(name)).filter((at) => at !== undefined);
    if (own.length > 0) parts.push({ from, to, captures: own });
  }
  return parts.sort((a, b) => a.from - b.from || b.to - a.to);
}

/**
 * Returns the groups of a regular expression, which must be valid. Captures are numbered from 0, so the first group has
 * the capture 0.
 */
export function regexParts(expression: string): Part[] {
  const parts: Part[] = [];
  forEachToken(expression, {
    reference: () => {},
    group: (_, from, to, number) => parts.push({ from, to, captures: [number] }),
  });
  return parts.sort((a, b) => a.from - b.from || b.to - a.to);
}

interface Visitor {
  reference(text: string, from: number): void;
  /** Receives a group; `number` is its position among all groups, from 0, in the order of their opening parentheses. */
  group(name: string | null, from: number, to: number, number: number): void;
}

/**
 * Matches one token: an escape, a quotation `\Q...\E`, a character class, a reference, or any other single character.
 */
const TOKEN =
  /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|%\{[\w.-]+(?::[\w.-]+){0,2}\}|[\s\S]/g;
const OPENING = /^\((?:\?(?:P?<(\w+)>|[A-Za-z-]*[:)]))?/;

function forEachToken(expression: string, visitor: Visitor): void {
  let groups = 0;
  const open: ({ readonly name: string | null; readonly from: number; readonly number: number } | null)[] = [];
  for (const { 0: token, index } of expression.matchAll(TOKEN)) {
    if (token.length > 1 && token.startsWith("%{")) visitor.reference(token, index);
    else if (token === ")") {
      const group = open.pop();
      if (group != null) visitor.group(group.name, group.from, index + 1, group.number);
    } else if (token === "(") {
      const [opening = "(", name] = OPENING.exec(expression.slice(index, index + 200)) ?? [];
      // Flags such as `(?i)` and groups such as `(?:` do not capture. The stack of open parentheses (`open`) contains
      // null for them, so that their `)` does not end a capturing group.
      if (opening === "(" || name !== undefined) open.push({ name: name ?? null, from: index, number: groups++ });
      else open.push(null);
    }
  }
}

function fieldsOfPatterns(patterns: Readonly<Record<string, string>>): (name: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (name) => {
    let fields = known.get(name);
    if (fields === undefined) {
      fields = fieldsOfPattern(name, patterns);
      known.set(name, fields);
    }
    return fields;
  };
}

/**
 * Returns the fields that the pattern captures when a reference names no field (`%{NAME}`); no fields when the pattern
 * is invalid.
 */
export function fieldsOfPattern(name: string, patterns: Readonly<Record<string, string>>): readonly string[] {
  try {
    return Grok.compile(`%{${name}}`, { patterns }).fields.map((field) => field.name);
  } catch (error) {
    if (error instanceof RegexSyntaxError || (error as GrokError).name === "GrokError") return [];
    throw error;
  }
}
