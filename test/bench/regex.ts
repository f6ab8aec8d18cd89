// Compares Millrace's regular expressions with JavaScript's own RegExp with named groups, over 20,000 distinct
// lines of each log format. Millrace reads the lines as bytes in linear memory, RegExp reads them as strings.
// Each engine must provide all captures: Millrace as offsets, RegExp as strings. Also measures warm-up
// (compilation and the first 100 lines), and finding all matches in a long text.

import { LIBRARY_TEXT } from "../../lib/grok/builtin-patterns.ts";
import { expand } from "../../lib/grok/expand.ts";
import { builtinPatterns, parsePatternText } from "../../lib/grok/load.ts";
import { compile } from "../../lib/regex/compile.ts";
import { KernelEngine } from "../../lib/regex/engines/kernel-engine.ts";
import { Regex } from "../../lib/regex/regex.ts";
import { parse } from "../../lib/regex/syntax/parse.ts";
import type { WasmModule } from "../../lib/wasm/module.ts";
import { linesOf, mixedLines, type Shape, shapes } from "./data/grok-lines.ts";
import { hostRegex } from "./host-grok.ts";
import type { Pair } from "./measure.ts";
import { placeLines } from "./placed-lines.ts";

const count = 20_000;

function engineFor(module: WasmModule, expression: string): KernelEngine {
  const { regex } = expand(expression, builtinPatterns);
  return new KernelEngine(compile(parse(regex, { namedOnly: true })), module);
}

function pairOf(
  module: WasmModule,
  generates: boolean,
  name: string,
  expression: string,
  lines: readonly string[],
  misses: Misses,
): Pair {
  module.generates = generates;
  const engine = engineFor(module, expression);
  const placed = placeLines(module, lines, engine.slots);
  const host = hostRegex(expand(expression, builtinPatterns).regex);
  engine.execLines(placed.base, placed.table, placed.count, placed.out);
  const first = placed.out / 4;
  let missed = 0;
  for (let line = 0; line < lines.length; line++) {
    const found = module.i32[first + line * engine.slots]! >= 0;
    if (host.test(lines[line]!) !== found) throw new Error(`${name}: ${lines[line]}`);
    if (!found) missed++;
  }
  const third = lines.length / 3;
  const asExpected =
    misses === "none" ? missed === 0 : misses === "all" ? missed === lines.length : isNear(missed, third);
  if (!asExpected) throw new Error(`${name}: ${missed} lines do not match`);
  const { states, bytes, tier } = engine.statistics;
  const average = Math.round(lines.join("").length / lines.length);
  return {
    name: `grok ${name}, ${average} B, tier ${tier} (${states} states, ${Math.round(bytes / 1024)} KB)`,
    baseline: "RegExp",
    ours: () => engine.execLines(placed.base, placed.table, placed.count, placed.out),
    theirs: () => {
      for (const line of lines) host.exec(line);
    },
  };
}

/**
 * Returns the benchmarks whose name `isWanted` accepts: first those that search with automaton tables, then those that
 * search with generated code.
 */
export function regexPairs(module: WasmModule, isWanted: (named: { readonly name: string }) => boolean): Pair[] {
  const [access, , , app] = shapes as readonly [Shape, Shape, Shape, Shape];
  const cases: readonly { name: string; shape: Shape; lines: () => string[]; misses: Misses }[] = [
    ...shapes.map((shape) => ({
      name: shape.name,
      shape,
      lines: () => linesOf(shape, count),
      misses: "none" as const,
    })),
    ...shapes.map((shape) => ({
      name: `varied ${shape.name}, a third fails`,
      shape,
      lines: () => mixedLines(shape, count),
      misses: "third" as const,
    })),
    { name: "far miss, app log by common access", shape: access, lines: () => linesOf(app, count), misses: "all" },
    {
      name: "near miss, common access with a bad last token",
      shape: access,
      lines: () => linesOf(access, count).map((line) => line.replace(/\d+$/, "x")),
      misses: "all",
    },
  ];
  return cases
    .filter(({ name }) => isWanted({ name: `grok ${name}` }))
    .flatMap(({ name, shape, lines, misses }) => {
      const texts = lines();
      return [false, true].map((generates) => pairOf(module, generates, name, shape.expression, texts, misses));
    });
}

/** Share of the lines that the expression does not match. */
type Misses = "none" | "third" | "all";

function isNear(count: number, expected: number): boolean {
  return Math.abs(count - expected) < expected / 10;
}

export interface WarmUp {
  readonly name: string;
  readonly medianMs: number;
  readonly highestMs: number;
  /** Name of the pattern that takes longest to warm up. */
  readonly highest: string;
}

/**
 * Number of new engines that are measured for each pattern. The median counts, so that one pause of the machine does
 * not affect the result.
 */
const turns = 3;

/**
 * Measures, for all patterns of the library, the milliseconds to compile a pattern and run it over 100 lines, 20 of
 * each log format.
 */
export function measureWarmUp(module: WasmModule): WarmUp {
  const lines = shapes.flatMap((shape) => linesOf(shape, 20)).map((line) => new TextEncoder().encode(line));
  const times = Array.from(parsePatternText(LIBRARY_TEXT).keys(), (name) => {
    const each = Array.from({ length: turns }, () => warmUp(module, name, lines));
    return { name, ms: each.sort((a, b) => a - b)[turns >> 1]! };
  });
  times.sort((a, b) => a.ms - b.ms);
  const highest = times.at(-1)!;
  return {
    name: `grok warm-up, ${times.length} patterns`,
    medianMs: times[times.length >> 1]!.ms,
    highestMs: highest.ms,
    highest: highest.name,
  };
}

function warmUp(module: WasmModule, name: string, lines: readonly Uint8Array[]): number {
  const begin = performance.now();
  const engine = engineFor(module, `%{${name}:it}`);
  const slots = new Int32Array(engine.slots);
  for (const line of lines) engine.exec(line, 0, line.length, 0, slots);
  const ms = performance.now() - begin;
  engine.free();
  return ms;
}

/**
 * Benchmarks that find every match in a long text. Millrace and the baseline both return the matches as objects. In the
 * first text all lines match, in the second one only some lines.
 */
export function findAllPairs(): Pair[] {
  return [
    { name: "regex find all", lines: linesOf(shapes[0]!, 2000) },
    { name: "regex find all, varied lines", lines: mixedLines(shapes[1]!, 2000) },
  ].map(findAllPair);
}

function findAllPair({ name, lines }: { readonly name: string; readonly lines: readonly string[] }): Pair {
  const text = lines.join("\n");
  const source = `"(?<verb>[A-Z]+) (?<path>[^ ]+)[^"]*"`;
  const ours = Regex.compile(source.replaceAll("(?<", "(?P<"));
  const host = new RegExp(source, "g");
  const expected = [...text.matchAll(host)].map((match) => match.index);
  if (ours.findAll(text).some(({ start }, i) => start !== expected[i])) throw new Error("find all differs");
  return {
    name: `${name}, ${expected.length} matches in ${Math.round(text.length / 1024)} KB`,
    baseline: "matchAll",
    ours: () => void ours.findAll(text),
    theirs: () => void [...text.matchAll(host)],
  };
}

/**
 * Returns the geometric means of the ratios of all log formats: for tier 1 (automaton tables) and tier 2 (generated
 * code), over lines that all match and over varied lines. Benchmarks in which no line matches are left out.
 */
export function regexMeans(rows: readonly { readonly name: string; readonly ratio: number }[]): string[] {
  return ["", "varied "].flatMap((kind) =>
    [1, 2].flatMap((tier) => {
      const ratios = shapes.flatMap(({ name }) =>
        rows.filter((row) => row.name.startsWith(`grok ${kind}${name},`) && row.name.includes(`tier ${tier} `)),
      );
      if (ratios.length < shapes.length) return [];
      const mean = Math.exp(ratios.reduce((sum, { ratio }) => sum + Math.log(ratio), 0) / ratios.length);
      const lowest = Math.min(...ratios.map(({ ratio }) => ratio));
      return [
        `grok, ${kind}five shapes, tier ${tier}: geometric mean ${mean.toFixed(2)}x, lowest ${lowest.toFixed(2)}x`,
      ];
    }),
  );
}
