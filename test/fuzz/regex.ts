// Compares the tiers of the regex engine on random expressions and texts: with each other, with JavaScript's RegExp
// where the two dialects agree, and otherwise with re2js, an independent port of the same dialect.

import fc from "fast-check";
import { RE2JS } from "re2js";
import { type EngineMaker, Regex, type RegexMatch, RegexSyntaxError } from "../../lib/regex/regex.ts";
import { parse } from "../../lib/regex/syntax/parse.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";
import { hostAgrees, hostSource } from "../baseline/host-regex.ts";
import { byteTexts, expressions, texts } from "./regex-arbitrary.ts";
import { compareLines } from "./regex-lines.ts";

export interface FuzzOptions {
  readonly seed: number;
  /** Time in milliseconds since 1970 after which no round begins. */
  readonly until: number;
  readonly log: (line: string) => void;
  readonly tiers: Tiers;
}

export interface Tiers {
  /** The engines by name. The first one is compared with all other engines, with JavaScript's RegExp and with re2js. */
  readonly engines: Readonly<Record<string, EngineMaker>>;
  /** The WebAssembly module that searches batches of lines and runs the generated code. */
  readonly module: WasmModule;
}

export interface FuzzCounts {
  expressions: number;
  /**
   * Number of texts that were compared between all tiers. `host` and `re2js` are the numbers of texts that were also
   * compared with RegExp and with re2js.
   */
  tiers: number;
  host: number;
  re2js: number;
  /** Number of expressions for which code was generated. */
  generated: number;
}

const ROUND = 500;
/** For about one of this many expressions, the test also searches batches of lines. */
const LINES = 5;

const encoder = new TextEncoder();

/**
 * Runs rounds until the time is over. At the first difference, throws an error with a minimal example and the seed that
 * reproduces it.
 */
export async function fuzzRegex(options: FuzzOptions): Promise<FuzzCounts> {
  const counts: FuzzCounts = { expressions: 0, tiers: 0, host: 0, re2js: 0, generated: 0 };
  for (let { seed } = options; Date.now() < options.until; seed++) {
    fuzzRound(seed, ROUND, options.tiers, counts);
    options.log(
      `regex: seed ${seed}, ${counts.expressions} expressions; texts compared: ${counts.tiers} with tiers, ${counts.host} with RegExp, ${counts.re2js} with re2js; code generated for ${counts.generated}`,
    );
    // Waits a moment, so that other tasks of the event loop can run.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return counts;
}

/** Compares `runs` random expressions with four texts each. */
export function fuzzRound(
  seed: number,
  runs: number,
  tiers: Tiers,
  counts: FuzzCounts = { expressions: 0, tiers: 0, host: 0, re2js: 0, generated: 0 },
): FuzzCounts {
  const texts4 = fc.array(texts, { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(expressions, texts4, byteTexts, fc.nat(LINES - 1), (source, strings, bytes, lines) => {
      if (!compareAll(source, strings, bytes, tiers.engines, counts)) return;
      counts.expressions++;
      if (lines > 0) return;
      const [first, ...others] = [...strings, ""].map((text) => encoder.encode(text)) as [Uint8Array, ...Uint8Array[]];
      if (compareLines(source, tiers.module, [first, ...others.slice(1)], [bytes, ...others])) counts.generated++;
    }),
    { seed, numRuns: runs },
  );
  return counts;
}

/** Compares all engines on one expression. Returns false when the parser refuses the expression. */
function compareAll(
  source: string,
  strings: readonly string[],
  bytes: Uint8Array,
  engines: Tiers["engines"],
  counts: FuzzCounts,
): boolean {
  let regexes: [string, Regex][];
  try {
    regexes = Object.entries(engines).map(([name, engine]) => [name, Regex.compile(source, "", { engine })]);
  } catch (error) {
    if (!(error instanceof RegexSyntaxError) || error.reason !== "invalid repeat count") throw error;
    return false;
  }
  try {
    compareEach(source, strings, bytes, regexes, counts);
  } finally {
    for (const [, regex] of regexes) regex.free();
  }
  return true;
}

function compareEach(
  source: string,
  strings: readonly string[],
  bytes: Uint8Array,
  regexes: readonly [string, Regex][],
  counts: FuzzCounts,
): void {
  const [[, first], ...others] = regexes as [[string, Regex], ...[string, Regex][]];
  for (const text of [...strings, bytes]) {
    const expected = show(first.findAll(text));
    for (const [name, other] of others) same(source, text, name, expected, show(other.findAll(text)));
    for (const [name, regex] of regexes)
      same(source, text, `${name}.test`, String(expected !== "[]"), String(regex.test(text)));
    counts.tiers++;
  }
  const host = hostRegex(source);
  const re2 = RE2JS.compile(source);
  same(source, bytes, "re2js", JSON.stringify(re2Find(re2, bytes)), JSON.stringify(first.find(bytes)?.groups ?? null));
  counts.re2js++;
  for (const text of strings) {
    const expected = JSON.stringify(first.find(text)?.groups ?? null);
    const hosts = host === null ? undefined : hostFind(host, text);
    if (hosts !== undefined) {
      same(source, text, "RegExp", JSON.stringify(hosts), expected);
      counts.host++;
    }
    if (host === null) {
      same(source, text, "re2js", JSON.stringify(re2Find(re2, text)), expected);
      counts.re2js++;
    }
  }
}

function same(source: string, text: string | Uint8Array, name: string, expected: string, got: string): void {
  if (expected === got) return;
  const shown = typeof text === "string" ? JSON.stringify(text) : `bytes ${Array.from(text).join(" ")}`;
  throw new Error(`${JSON.stringify(source)} on ${shown}, ${name}: ${expected} against ${got}`);
}

function show(matches: readonly RegexMatch[]): string {
  return JSON.stringify(matches.map(({ groups }) => groups));
}

/**
 * Returns the expression for JavaScript's RegExp; null when RegExp would find other matches than Millrace or be
 * too slow.
 */
function hostRegex(source: string): RegExp | null {
  const { root } = parse(source);
  return hostAgrees(root) ? new RegExp(hostSource(root), "dgu") : null;
}

/**
 * Returns the match that RegExp finds; null when it finds none. Returns undefined when the match is empty and lies
 * between the two surrogates of a character: V8 reports such a match, but Millrace does not.
 */
function hostFind(regex: RegExp, text: string): ([number, number] | null)[] | null | undefined {
  regex.lastIndex = 0;
  const found = regex.exec(text)?.indices;
  if (found === undefined) return null;
  const [start] = found[0]!;
  if (start > 0 && text.codePointAt(start - 1)! > 0xffff) return undefined;
  return Array.from(found, (span: [number, number] | undefined) => span ?? null);
}

function re2Find(regex: RE2JS, text: string | Uint8Array): ([number, number] | null)[] | null {
  const matcher = regex.matcher(text);
  if (!matcher.find()) return null;
  return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => {
    const start = matcher.start(group);
    return start < 0 ? null : [start, matcher.end(group)];
  });
}
