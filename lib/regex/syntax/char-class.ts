// Sets of code points: the named sets of the RE2 syntax, negation, union and case folding
// (docs/reference/grok.md#regular-expressions).

import type { Ranges } from "./tree.ts";

export const LAST_CODE_POINT = 0x10ffff;

const DIGIT: Ranges = [0x30, 0x39];
const PERL_SPACE: Ranges = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20];
export const WORD: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];

export const ANY: Ranges = [0, LAST_CODE_POINT];
export const ANY_BUT_NEWLINE: Ranges = [0, 0x09, 0x0b, LAST_CODE_POINT];

/** The sets of `\d`, `\s` and `\w`, by letter; a capital letter such as `\D` means the complement. */
export const PERL: ReadonlyMap<string, Ranges> = new Map([
  ["d", DIGIT],
  ["s", PERL_SPACE],
  ["w", WORD],
]);

/** The sets of named classes such as `[:alpha:]`, by name. */
export const POSIX: ReadonlyMap<string, Ranges> = new Map<string, Ranges>([
  ["alnum", [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a]],
  ["alpha", [0x41, 0x5a, 0x61, 0x7a]],
  ["ascii", [0x00, 0x7f]],
  ["blank", [0x09, 0x09, 0x20, 0x20]],
  ["cntrl", [0x00, 0x1f, 0x7f, 0x7f]],
  ["digit", DIGIT],
  ["graph", [0x21, 0x7e]],
  ["lower", [0x61, 0x7a]],
  ["print", [0x20, 0x7e]],
  ["punct", [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e]],
  ["space", [0x09, 0x0d, 0x20, 0x20]],
  ["upper", [0x41, 0x5a]],
  ["word", WORD],
  ["xdigit", [0x30, 0x39, 0x41, 0x46, 0x61, 0x66]],
]);

/** Sorts ranges of code points and joins ranges that overlap or touch. */
export function normalize(ranges: Ranges): Ranges {
  const pairs: [number, number][] = [];
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i] as number, ranges[i + 1] as number]);
  pairs.sort((a, b) => a[0] - b[0]);
  const result: number[] = [];
  for (const [lo, hi] of pairs) {
    const last = result.length - 1;
    if (last > 0 && lo <= (result[last] as number) + 1) result[last] = Math.max(result[last] as number, hi);
    else result.push(lo, hi);
  }
  return result;
}

/**
 * Returns the complement of a set of code points. Its ranges must be normalized: sorted, and without ranges that
 * overlap or touch.
 */
export function negate(ranges: Ranges): Ranges {
  const result: number[] = [];
  let next = 0;
  for (let i = 0; i < ranges.length; i += 2) {
    if (next < (ranges[i] as number)) result.push(next, (ranges[i] as number) - 1);
    next = (ranges[i + 1] as number) + 1;
  }
  if (next <= LAST_CODE_POINT) result.push(next, LAST_CODE_POINT);
  return result;
}

export function contains(ranges: Ranges, codePoint: number): boolean {
  let low = 0;
  let high = ranges.length >> 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (codePoint < (ranges[middle * 2] as number)) high = middle;
    else if (codePoint > (ranges[middle * 2 + 1] as number)) low = middle + 1;
    else return true;
  }
  return false;
}

// For every letter, the other letters that are equal to it when case is ignored (Unicode's simple case folding). Most
// letters have one; `k`, `K` and the Kelvin sign are three letters that equal one another, and so are `s`, `S` and the
// long s.
let orbits: Map<number, readonly number[]> | null = null;

/**
 * Characters that equal another character when case is ignored, but only since Unicode 15.1, and not in Go. They
 * are left out, so that old and new JavaScript runtimes produce the same result.
 */
const LATE_FOLDS = new Set([0x0390, 0x1fd3, 0x03b0, 0x1fe3, 0xfb05, 0xfb06]);

function buildOrbits(): Map<number, readonly number[]> {
  const cased: number[] = [];
  for (let c = 0; c < 0x1f000; c++) {
    if (c >= 0xd800 && c < 0xe000) continue;
    const text = String.fromCodePoint(c);
    if (text.toLowerCase() !== text || text.toUpperCase() !== text) cased.push(c);
  }
  // A JavaScript regular expression finds out whether two characters are equal when case is ignored. Only characters
  // with the same lower or upper case are compared.
  const byCase = new Map<string, number[]>();
  for (const c of cased) {
    const text = String.fromCodePoint(c);
    const upper = text.toUpperCase();
    const names = new Set([text, text.toLowerCase(), upper, upper.toLowerCase(), upper.toLowerCase().toUpperCase()]);
    for (const name of names) {
      const list = byCase.get(name);
      if (list === undefined) byCase.set(name, [c]);
      else list.push(c);
    }
  }
  const result = new Map<number, readonly number[]>();
  for (const c of cased) {
    if (LATE_FOLDS.has(c)) continue;
    const text = String.fromCodePoint(c);
    const same = new RegExp(`^\\u{${c.toString(16)}}$`, "iu");
    const members = new Set<number>([c]);
    const names = [text, text.toLowerCase(), text.toUpperCase(), text.toUpperCase().toLowerCase()];
    for (const name of names) {
      for (const other of byCase.get(name) ?? []) if (same.test(String.fromCodePoint(other))) members.add(other);
    }
    if (members.size > 1) result.set(c, [...members]);
  }
  return result;
}

/** The only letters beyond ASCII that are equal to an ASCII letter: the Kelvin sign to `k`, the long s to `s`. */
const KELVIN_SIGN = 0x212a;
const LONG_S = 0x017f;

/**
 * Adds to a set, for each of its code points, all code points that are equal when case is ignored. The ranges of the
 * set must be normalized (sorted, and without ranges that overlap or touch). Building the table of equal characters
 * takes some 90 ms, so it is not built for a set of ASCII characters.
 */
export function fold(ranges: Ranges): Ranges {
  const result = [...ranges];
  for (let lower = 0x61; lower <= 0x7a; lower++) {
    const upper = lower - 0x20;
    const beyond = lower === 0x6b ? KELVIN_SIGN : lower === 0x73 ? LONG_S : upper;
    if (contains(ranges, lower) || contains(ranges, upper)) result.push(upper, upper, lower, lower, beyond, beyond);
  }
  if ((ranges.at(-1) ?? 0) > 0x7f) {
    orbits ??= buildOrbits();
    for (const [c, members] of orbits)
      if (c > 0x7f && contains(ranges, c)) for (const member of members) result.push(member, member);
  }
  return normalize(result);
}

const CATEGORIES = new Set(
  "L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs Cc Cf Co Cs".split(" "),
);
/**
 * The names of Unicode scripts (writing systems) that consist of four letters. The RE2 syntax accepts the names of
 * scripts, but not their codes, which also have four letters.
 */
const SHORT_SCRIPTS = new Set("Ahom Cham Kawi Lisu Modi Newa Thai Toto".split(" "));

const properties = new Map<string, Ranges | null>();

/**
 * Returns the code points of `\p{name}`, where the name is a general category, a Unicode script (such as `Greek`) or
 * `Any`; null when the name is none of these.
 */
export function property(name: string): Ranges | null {
  let ranges = properties.get(name);
  if (ranges === undefined) {
    ranges = readProperty(name);
    properties.set(name, ranges);
  }
  return ranges;
}

function readProperty(name: string): Ranges | null {
  if (name === "Any") return ANY;
  // In RE2 the category C does not include unassigned code points, unlike in JavaScript.
  if (name === "C") return normalize(["Cc", "Cf", "Co", "Cs"].flatMap((part) => property(part) ?? []));
  if (CATEGORIES.has(name)) return scan(new RegExp(`\\p{${name}}+`, "gu"));
  if (!/^[A-Z][A-Za-z_]+$/.test(name) || (name.length === 4 && !SHORT_SCRIPTS.has(name))) return null;
  try {
    return scan(new RegExp(`\\p{Script=${name}}+`, "gu"));
  } catch {
    return null;
  }
}

const BLOCK = 0x4000;

/**
 * Finds the code points that a JavaScript regular expression matches, one block at a time. Surrogates are tested one by
 * one, because two neighbours would form a pair.
 */
function scan(expression: RegExp): Ranges {
  const result: number[] = [];
  for (let start = 0; start <= LAST_CODE_POINT; start += BLOCK) {
    if (start === 0xd800 - (0xd800 % BLOCK)) {
      for (let c = start; c < start + BLOCK; c++) {
        expression.lastIndex = 0;
        if (expression.test(String.fromCodePoint(c))) result.push(c, c);
      }
      continue;
    }
    const codes = Array.from({ length: BLOCK }, (_, i) => start + i);
    const block = String.fromCodePoint(...codes);
    const width = start > 0xffff ? 2 : 1;
    for (const match of block.matchAll(expression)) {
      const lo = start + match.index / width;
      result.push(lo, lo + match[0].length / width - 1);
    }
  }
  return normalize(result);
}
