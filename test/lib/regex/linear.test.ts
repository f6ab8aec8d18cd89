// The time of a search is linear in the length of the text, for every expression. The test counts steps and measures no
// time.

import { describe, expect, it } from "vitest";
import { compileProgram } from "../../../lib/regex/automaton/program.ts";
import { compile } from "../../../lib/regex/compile.ts";
import type { Engine } from "../../../lib/regex/engines/engine.ts";
import { KernelEngine } from "../../../lib/regex/engines/kernel-engine.ts";
import { Pike } from "../../../lib/regex/engines/pike.ts";
import { TableEngine } from "../../../lib/regex/engines/table-engine.ts";
import { parse } from "../../../lib/regex/syntax/parse.ts";
import type { Parsed } from "../../../lib/regex/syntax/tree.ts";
import { loadCounting } from "../wasm/load.ts";

const deep = `${"(".repeat(999)}a${")".repeat(999)}`;

const hostile: [name: string, source: string, unit: string][] = [
  ["stars within stars", "(a*)*b", "a"],
  ["equal branches", "(a|a)*$", "ab"],
  ["far look back", "[ab]*a[ab]{12}$", "abbabaaabb"],
  ["nested deeply", `(?:${deep.slice(1, -1)})*b`, "a"],
  ["optional ones before as many", "(?:a?){50}a{50}b", "a"],
  ["words without an end", "(?P<x>\\w+\\s?)*!", "abc de "],
  ["a match that starts anywhere", "\\d+(?:[a-z]+)x", "1abc"],
  ["a literal with which every match begins", "ab[a-z]*!", "ab"],
  ["such a literal, with short tries", "aa[bc]!", "a"],
];

/** Returns the steps that a new engine takes for a text of the given size. */
function stepsOf(
  source: string,
  unit: string,
  size: number,
  make: (parsed: Parsed) => Engine & { steps: number },
): number {
  const engine = make(parse(source));
  const bytes = textOf(unit, size);
  engine.exec(bytes, 0, bytes.length, 0, new Int32Array(engine.slots));
  return engine.steps;
}

function textOf(unit: string, size: number): Uint8Array {
  return new TextEncoder().encode(unit.repeat(Math.ceil(size / unit.length)).slice(0, size));
}

const bytewise = (parsed: Parsed) => new Pike(compile(parsed).forward);
const characterwise = ({ root }: Parsed) => new Pike(compileProgram(root, 1, { captures: false, characters: true }));
const tables = (parsed: Parsed) => new TableEngine(compile(parsed));

describe("linear time", () => {
  it.each(hostile)("tier 0: %s", (_, source, unit) => {
    const [once, twice] = [stepsOf(source, unit, 2000, bytewise), stepsOf(source, unit, 4000, bytewise)];
    expect(twice / once).toBeLessThan(2.1);
  });

  it.each([...hostile, ["large sets, many times", "\\pL{300}\\d", "é"]] as const)(
    "tier 0, character by character: %s",
    (_, source, unit) => {
      const [once, twice] = [6000, 12_000].map((size) => stepsOf(source, unit, size, characterwise)) as [
        number,
        number,
      ];
      expect(twice / once).toBeLessThan(2.12);
    },
  );

  it.each(hostile)("the kernel, by instructions of the module, on 512 KB: %s", async (_, source, unit) => {
    const { module, steps } = await loadCounting();
    module.generates = false;
    const [half, whole] = [1 << 18, 1 << 19].map((size) => {
      const engine = new KernelEngine(compile(parse(source)), module);
      const bytes = textOf(unit, size);
      const before = steps();
      engine.exec(bytes, 0, bytes.length, 0, new Int32Array(engine.slots));
      engine.free();
      return steps() - before;
    }) as [number, number];
    expect(whole).toBeGreaterThan(0);
    expect(whole / half).toBeLessThan(2.1);
  });

  it.each(hostile)("tier 1 on 1 MB: %s", (_, source, unit) => {
    const [half, whole] = [stepsOf(source, unit, 1 << 19, tables), stepsOf(source, unit, 1 << 20, tables)];
    expect(whole / half).toBeLessThan(2.1);
    expect(whole).toBeLessThan(100 * (1 << 20));
  });
});
