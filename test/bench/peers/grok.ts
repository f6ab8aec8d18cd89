// Finds the named groups of 20,000 distinct lines of each log format with Millrace, with re2js and with Rust
// crates. All of them use the same expanded expression, in which unnamed groups do not capture, and return
// offsets. The only exception is the function `parse_grok` of the crate vrl: it has its own pattern library, and
// makes an object of strings for each line, because the scripts of vrl work on such objects.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { RE2JS } from "re2js";
import { expand } from "../../../lib/grok/expand.ts";
import { Grok, lineOffsets } from "../../../lib/grok/grok.ts";
import { builtinPatterns } from "../../../lib/grok/load.ts";
import { compile } from "../../../lib/regex/compile.ts";
import { KernelEngine } from "../../../lib/regex/engines/kernel-engine.ts";
import { Regex } from "../../../lib/regex/regex.ts";
import { parse } from "../../../lib/regex/syntax/parse.ts";
import { instantiate, type WasmModule } from "../../../lib/wasm/module.ts";
import { linesOf, mixedLines, type Shape, shapes } from "../data/grok-lines.ts";
import { hostSource } from "../host-grok.ts";
import { columns } from "../measure.ts";
import { placeLines } from "../placed-lines.ts";
import { buildPeer, runPeer } from "./program.ts";

const count = 20_000;
const rounds = 3;
const roundMs = 600;
/** Number of lines that slow engines search; the other engines search all lines. */
const FEW = 200;

/** The result of one engine for the lines of one log format, with the nanoseconds per line of its fastest pass. */
interface Result {
  /** Number of lines that match; undefined for engines that search only a few lines. */
  readonly matched?: number;
  /** Number of bytes in all groups; undefined for engines whose groups differ from the groups of Millrace. */
  readonly seen?: number;
  readonly ns: number;
}

interface Work {
  readonly expression: string;
  /** The expression as a regular expression in which unnamed groups do not capture. */
  readonly regex: string;
  readonly lines: readonly string[];
  readonly linesFile: string;
  readonly regexFile: string;
  readonly expressionFile: string;
}

interface Contender {
  readonly name: string;
  /** Prepares the engine of this contender for the lines. Returns a function that runs one round. */
  readonly prepare: (work: Work) => () => Result;
}

const programs = [
  { name: "Rust regex", folder: "rust-regex", language: "rust", binary: "peer-regex", file: "regexFile" },
  { name: "Rust vrl parse_grok", folder: "rust-grok", language: "rust", binary: "peer-grok", file: "expressionFile" },
] as const;

/** Returns a table of nanoseconds per line for each log format and engine. */
export async function grokTable(folder: string): Promise<string> {
  const wasm = readFileSync(new URL("../../../lib/wasm/millrace.wasm", import.meta.url));
  const withTables = await instantiate(wasm);
  withTables.generates = false;
  const withCode = await instantiate(wasm);
  const contenders: Contender[] = [
    { name: "Millrace, generated", prepare: (work) => millrace(withCode, work) },
    { name: "Millrace, tables", prepare: (work) => millrace(withTables, work) },
    { name: "Millrace matchBatch", prepare: (work) => matchBatch(withCode, work) },
    { name: "re2js", prepare: re2js },
  ];
  for (const { file, ...peer } of programs) {
    const program = buildPeer(peer);
    if (program === null) continue;
    const unlike = file === "expressionFile";
    contenders.push({
      name: peer.name,
      prepare: (work) => () => {
        const [matched, seen, ns] = runPeer(program, [work.linesFile, work[file], String(roundMs)]) as [
          number,
          number,
          number,
        ];
        return unlike ? { matched, ns: ns / count } : { matched, seen, ns: ns / count };
      },
    });
  }
  const table = [["ns a line", ...contenders.map(({ name }) => name)]];
  for (const shape of shapes) {
    table.push([shape.name, ...compare(contenders, workOf(shape, linesOf(shape, count), folder))]);
    const mixed = workOf(shape, mixedLines(shape, count), folder);
    table.push([`varied ${shape.name}, a third fails`, ...compare(contenders, mixed)]);
  }
  return columns(table);
}

/**
 * Runs the engines alternately. Returns the best time of each engine, and its ratio to the best time of the first
 * engine.
 */
function compare(contenders: readonly Contender[], work: Work): string[] {
  const runs = contenders.map(({ prepare }) => prepare(work));
  const best = runs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    const results = runs.map((run, at) => {
      const result = run();
      best[at] = Math.min(best[at]!, result.ns);
      return result;
    });
    const sums = results.map(({ seen }) => seen).filter((seen) => seen !== undefined);
    const counts = new Set(results.flatMap(({ matched }) => matched ?? []));
    if (counts.size !== 1 || new Set(sums).size !== 1)
      throw new Error(`${work.expression}: not the same captures: ${JSON.stringify(results)}`);
  }
  return best.map((ns, at) => `${Math.round(ns)}${at === 0 ? "" : ` (${(ns / best[0]!).toFixed(1)}x)`}`);
}

function workOf(shape: Shape, lines: readonly string[], folder: string): Work {
  const regex = hostSource(expand(shape.expression, builtinPatterns).regex, "(?P<");
  const files = { linesFile: lines.join("\n"), regexFile: regex, expressionFile: shape.expression };
  const paths = Object.entries(files).map(([name, text]): [string, string] => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return [name, file];
  });
  return { expression: shape.expression, regex, lines, ...(Object.fromEntries(paths) as typeof files) };
}

/**
 * Prepares a search with Millrace's regex kernel (in WebAssembly) over lines in linear memory. The kernel finds the
 * offsets of all groups.
 */
function millrace(module: WasmModule, { regex, lines }: Work): () => Result {
  const engine = new KernelEngine(compile(parse(regex, { namedOnly: true })), module);
  const placed = placeLines(module, lines, engine.slots);
  const once = (): void => engine.execLines(placed.base, placed.table, placed.count, placed.out);
  once();
  let [matched, seen] = [0, 0];
  for (let line = 0; line < lines.length; line++) {
    const at = placed.out / 4 + line * engine.slots;
    if (module.i32[at]! >= 0) matched++;
    for (let slot = 2; slot < engine.slots; slot += 2) seen += module.i32[at + slot + 1]! - module.i32[at + slot]!;
  }
  return () => ({ matched, seen, ns: quickest(once) / count });
}

/**
 * Prepares `Grok.matchBatch` for lines in memory outside of the WebAssembly module. Each call copies the lines into the
 * module, trims and converts the captures, and copies the results out of the module.
 */
function matchBatch(module: WasmModule, { expression, lines }: Work): () => Result {
  const grok = Grok.compile(expression, {
    engine: (parsed, captures) => new KernelEngine(compile(parsed, captures), module),
  });
  const bytes = new TextEncoder().encode(lines.join("\n"));
  const offsets = lineOffsets(bytes);
  const into = grok.matchBatch(bytes, offsets);
  const matched = into.matched.reduce((sum, one) => sum + one, 0);
  return () => ({ matched, ns: quickest(() => grok.matchBatch(bytes, offsets, { into })) / count });
}

/**
 * Prepares re2js. The benchmark lets it search only a few lines, because it takes milliseconds per line. The captures
 * that it finds are compared with those of Millrace, group by group.
 */
function re2js({ regex, lines }: Work): () => Result {
  const few = lines.slice(0, FEW);
  const compiled = RE2JS.compile(regex);
  const ours = Regex.compile(regex);
  for (const line of few) {
    const matcher = compiled.matcher(line);
    const theirs = matcher.find() ? ours.names.map((_, group) => [matcher.start(group), matcher.end(group)]) : null;
    const groups = ours.find(line)?.groups.map((span) => span ?? [-1, -1]) ?? null;
    if (JSON.stringify(theirs) !== JSON.stringify(groups)) throw new Error(`not the same captures: ${line}`);
  }
  const pass = (): void => {
    for (const line of few) compiled.matcher(line).find();
  };
  return () => ({ ns: quickest(pass) / FEW });
}

function quickest(pass: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (const began = performance.now(); performance.now() - began < roundMs; ) {
    const start = performance.now();
    pass();
    best = Math.min(best, performance.now() - start);
  }
  return best * 1e6;
}
