// Tests that the number of steps for building a regular expression's tables is limited. An expression whose
// tables would take too many steps switches to tier 0 (simulation without tables) at once, and builds no more
// tables. Steps are counted in the WebAssembly module and in JavaScript together.

import { describe, expect, it } from "vitest";
import { stepsOf } from "./steps.ts";

// The counted code must be loaded after the step counter is installed. So it is imported dynamically.
const { loadCounting } = await import("../lib/wasm/load.ts");
const { compile } = await import("../../lib/regex/compile.ts");
const { KernelEngine } = await import("../../lib/regex/engines/kernel-engine.ts");
const { parse } = await import("../../lib/regex/syntax/parse.ts");
const { Pike } = await import("../../lib/regex/engines/pike.ts");
const { Regex } = await import("../../lib/regex/regex.ts");
const { TableEngine } = await import("../../lib/regex/engines/table-engine.ts");
const { module, steps } = await loadCounting();

/**
 * Largest number of steps that building tables may take, including the steps for discarding tables that became too
 * large.
 */
const mostOfTables = 4_000_000;

const hostile: [name: string, source: string, unit: string][] = [
  ["a bounded repeat with a capture inside a star", "(?P<f>.{0,500})*z", "a"],
  ["a bounded repeat with a capture, then an optional one, inside a star", "(?:(?P<f>\\w{0,300})[ ,]?)*;", "a"],
  ["bounded repeats inside a bounded one inside a star", "(?:(?P<a>\\w{0,30}){1,30}(?P<b>.{0,50}))*;", "ab1 "],
  ["nested captures inside a star", "(?P<a>(?P<b>(?P<c>.{0,90}),?){0,9})*z", "a"],
  ["many captures of bounded repeats inside a star", `(?:${"(.{0,40})".repeat(20)})*z`, "a"],
  ["a bounded repeat without captures, of which any may begin", "(?:x|.{0,200}y){1,5}z", "xay"],
  ["bounded repeats of words without captures inside a star", "(?:(?:\\pL{0,100}\\s?){1,9})*;", "aé"],
];

describe("the work to build automaton tables", () => {
  it.each(hostile)("is bounded in JavaScript and in the module: %s", (_, source, unit) => {
    const compiled = compile(parse(source));
    const bytes = new TextEncoder().encode(unit.repeat(Math.ceil(700 / unit.length)));
    const slots = new Int32Array(64);
    const counted = (engine: InstanceType<typeof Pike | typeof TableEngine | typeof KernelEngine>): number =>
      stepsOf(() => engine.exec(bytes, 0, bytes.length, 0, slots), steps);
    const simulated = counted(new Pike(compiled.forward));
    for (const engine of [new TableEngine(compiled), new KernelEngine(compiled, module)]) {
      expect(counted(engine)).toBeLessThan(mostOfTables + 2 * simulated);
      // Once an engine has used up the steps that it may spend on tables, it builds no more tables and uses tier 0
      // (simulation without tables). Then a search costs only the steps of tier 0.
      engine.free();
      if (engine.statistics.tier === 0) expect(counted(engine)).toBeLessThan(1.1 * simulated + 1000);
    }
  });

  it("is not repeated after the memory of the tables is freed", () => {
    const regex = Regex.compile("(?P<f>.{0,500})*z|b");
    const text = `${"a".repeat(5000)}${"b".repeat(20)}`;
    const counted = (): number => stepsOf(() => expect(regex.findAll(text)).toHaveLength(20), steps);
    counted();
    const second = counted();
    regex.free();
    expect(counted()).toBeLessThan(1.1 * second);
  });
});
