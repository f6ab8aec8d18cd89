// Time is linear in the text for every expression: steps are counted, nothing is timed.

import { describe, expect, it } from "vitest";
import { compile } from "../../../lib/regex/compile.ts";
import { parse } from "../../../lib/regex/parse.ts";
import { Pike } from "../../../lib/regex/pike.ts";
import { TableEngine } from "../../../lib/regex/table-engine.ts";

const deep = `${"(".repeat(999)}a${")".repeat(999)}`;

const hostile: [name: string, source: string, unit: string][] = [
  ["stars within stars", "(a*)*b", "a"],
  ["equal branches", "(a|a)*$", "ab"],
  ["far look back", "[ab]*a[ab]{12}$", "abbabaaabb"],
  ["nested deeply", `(?:${deep.slice(1, -1)})*b`, "a"],
  ["optional ones before as many", "(?:a?){50}a{50}b", "a"],
  ["words without an end", "(?P<x>\\w+\\s?)*!", "abc de "],
  ["a match that starts anywhere", "\\d+(?:[a-z]+)x", "1abc"],
];

/** Steps that a fresh engine takes for a text of this size. */
function stepsOf(source: string, unit: string, size: number, tier: 0 | 1): number {
  const compiled = compile(parse(source));
  const engine = tier === 0 ? new Pike(compiled.forward) : new TableEngine(compiled);
  const bytes = new TextEncoder().encode(unit.repeat(Math.ceil(size / unit.length)).slice(0, size));
  engine.exec(bytes, 0, bytes.length, 0, new Int32Array(engine.slots));
  return engine.steps;
}

describe("linear time", () => {
  it.each(hostile)("tier 0: %s", (_, source, unit) => {
    const [once, twice] = [stepsOf(source, unit, 2000, 0), stepsOf(source, unit, 4000, 0)];
    expect(twice / once).toBeLessThan(2.1);
  });

  it.each(hostile)("tier 1 on 1 MB: %s", (_, source, unit) => {
    const [half, whole] = [stepsOf(source, unit, 1 << 19, 1), stepsOf(source, unit, 1 << 20, 1)];
    expect(whole / half).toBeLessThan(2.1);
    expect(whole).toBeLessThan(100 * (1 << 20));
  });
});
