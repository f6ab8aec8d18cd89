// Tests generated code on typical log lines and on damaged copies of them: truncated, or with bytes changed, inserted
// and removed. Generated code must find the same matches as tier 0 (simulation without tables).

import { beforeAll, describe, expect, it } from "vitest";
import { expand } from "../../../../lib/grok/expand.ts";
import { builtinPatterns } from "../../../../lib/grok/load.ts";
import { compile } from "../../../../lib/regex/compile.ts";
import { KernelEngine } from "../../../../lib/regex/engines/kernel-engine.ts";
import { Pike } from "../../../../lib/regex/engines/pike.ts";
import { parse } from "../../../../lib/regex/syntax/parse.ts";
import type { WasmModule } from "../../../../lib/wasm/module.ts";
import { Dice } from "../../../bench/data/dice.ts";
import { linesOf, shapes } from "../../../bench/data/grok-lines.ts";
import { batchDifferences } from "../../../fuzz/batch.ts";
import { loadModule } from "../../wasm/load.ts";

const encoder = new TextEncoder();

let module: WasmModule;
beforeAll(async () => {
  module = await loadModule();
});

type Random = (below: number) => number;

function seededRandom(seed: number): Random {
  const dice = new Dice(seed);
  return (below) => dice.below(below);
}

/** Parts of an expression, each with a function that makes a text that the part matches. */
const PARTS: readonly { readonly source: string; readonly text: (random: Random) => string }[] = [
  { source: " ", text: () => " " },
  { source: " \\[", text: () => " [" },
  { source: "\\] - ", text: () => "] - " },
  { source: "connection refused", text: () => "connection refused" },
  { source: "(\\d\\d):(\\d\\d):(\\d\\d)", text: (random) => [0, 0, 0].map(() => digits(random, 2)).join(":") },
  { source: "([01]\\d|2[0-3])h", text: (random) => `${String(random(24)).padStart(2, "0")}h` },
  { source: "(\\d+)", text: (random) => digits(random, 1 + random(20)) },
  { source: "([a-z]+)", text: (random) => letters(random, 1 + random(20)) },
  { source: "([^ ]*)", text: (random) => (random(4) === 0 ? "" : `${letters(random, random(30))}/é`) },
  { source: "(\\S+)", text: (random) => `${letters(random, 1 + random(9))}.${digits(random, 3)}` },
  { source: '"(.*?)"', text: (random) => `"${letters(random, random(40))}"` },
  { source: "(?:(GET|POST|PUT) )?", text: (random) => ["", "GET ", "POST ", "PUT "][random(4)] as string },
  { source: "(a|ab)(c|bcd)?", text: (random) => ["a", "ab", "abc", "abcd"][random(4)] as string },
  { source: "([\\w.-]+)@", text: (random) => `${letters(random, 1 + random(8))}-${digits(random, 2)}@` },
  { source: "(?i:error|warn)", text: (random) => ["error", "ERROR", "Warn"][random(3)] as string },
  { source: "(\\b\\w+\\b)", text: (random) => letters(random, 1 + random(5)) },
  { source: "(-?(?:0|[1-9]\\d*)(?:\\.\\d+)?)", text: (random) => ["0", "-12", "3.25", "170"][random(4)] as string },
  { source: "(?:x{2,5})", text: (random) => "x".repeat(2 + random(4)) },
];

function digits(random: Random, count: number): string {
  return Array.from({ length: count }, () => random(10)).join("");
}

function letters(random: Random, count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(97 + random(26))).join("");
}

function damaged(random: Random, line: Uint8Array): Uint8Array {
  const at = random(line.length + 1);
  const [before, behind] = [[...line.subarray(0, at)], [...line.subarray(at)]];
  switch (random(5)) {
    case 0:
      return Uint8Array.from(before);
    case 1:
      return Uint8Array.from([...before, random(256), ...behind.slice(1)]);
    case 2:
      return Uint8Array.from([...before, ...behind.slice(1 + random(3))]);
    case 3:
      return Uint8Array.from([...before, ...encoder.encode(["é", " ", "0", "\n", "日"][random(5)]), ...behind]);
    default:
      return Uint8Array.from([...before, 32 + random(95), ...behind]);
  }
}

/**
 * Searches the first lines with an engine until it has generated code. Then compares the results of this engine
 * with tier 0 (simulation without tables) on all lines, including damaged ones, and returns the differences.
 */
function differencesOf(random: Random, source: string, lines: readonly string[], namedOnly: boolean): string[] {
  const compiled = compile(parse(source, { namedOnly }));
  const kernel = new KernelEngine(compiled, module);
  const pike = new Pike(compiled.forward);
  const texts = lines.map((line) => encoder.encode(line));
  const differences = batchDifferences(module, source, pike, kernel, texts);
  expect(kernel.statistics.tier).toBe(2);
  const mixed = texts.slice(0, 500).flatMap((text) => [text, damaged(random, text), damaged(random, text)]);
  differences.push(...batchDifferences(module, source, pike, kernel, mixed));
  expect(kernel.statistics.tier).toBe(2);
  kernel.free();
  return differences;
}

describe("generated code", () => {
  it.each(shapes)("finds the same matches as the simulation on lines of $name", (shape) => {
    const { regex } = expand(shape.expression, builtinPatterns);
    expect(differencesOf(seededRandom(11), regex, linesOf(shape, 1000), true)).toEqual([]);
  });

  it("is generated again for lines of another kind, and reused when such lines return", () => {
    const source = "(?:(\\d+)|([a-z]+)) end";
    const compiled = compile(parse(source));
    const [kernel, pike] = [new KernelEngine(compiled, module), new Pike(compiled.forward)];
    const random = seededRandom(5);
    const made = [digits, letters, letters, letters, digits, letters].map((field) => {
      const texts = Array.from({ length: 1000 }, () => encoder.encode(`${field(random, 1 + random(9))} end`));
      expect(batchDifferences(module, source, pike, kernel, texts)).toEqual([]);
      return kernel.statistics.generated;
    });
    expect(made).toEqual([1, 1, 2, 2, 2, 2]);
    kernel.free();
  });

  it.each([1, 2, 3, 4, 5, 6])("finds the same matches as the simulation on random lines, seed %i", (seed) => {
    const random = seededRandom(seed + 900);
    const differences: string[] = [];
    for (let round = 0; round < 5; round++) {
      const parts = Array.from({ length: 3 + random(6) }, () => PARTS[random(PARTS.length)]!);
      const source = `${random(3) === 0 ? "^" : ""}${parts.map((part) => part.source).join("")}${random(3) === 0 ? "$" : ""}`;
      const lines = Array.from({ length: 1000 }, () => parts.map((part) => part.text(random)).join(""));
      differences.push(...differencesOf(random, source, lines, false));
    }
    expect(differences).toEqual([]);
  });
});
