// The tiers agree with each other, and tier 0 with an implementation of RE2 that is not ours, on random expressions and texts.

import { RE2JS } from "re2js";
import { beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../../lib/regex/compile.ts";
import type { Engine } from "../../../lib/regex/engine.ts";
import { KernelEngine } from "../../../lib/regex/kernel-engine.ts";
import { parse } from "../../../lib/regex/parse.ts";
import { Pike } from "../../../lib/regex/pike.ts";
import { TableEngine } from "../../../lib/regex/table-engine.ts";
import type { WasmModule } from "../../../lib/wasm/module.ts";
import { loadModule } from "../wasm/load.ts";
import { batchDifferences, difference } from "./batch.ts";
import { type Random, randomBytes, randomPattern, randomText, seededRandom } from "./random-pattern.ts";

const encoder = new TextEncoder();

/** The slots of a match, null when there is none. */
function spans(engine: Engine, bytes: Uint8Array, from: number): number[] | null {
  const slots = new Int32Array(engine.slots);
  return engine.exec(bytes, 0, bytes.length, from, slots) ? [...slots] : null;
}

let module: WasmModule;
beforeAll(async () => {
  module = await loadModule();
});

const seeds = [1, 2, 3, 4, 5];

describe("tiers", () => {
  it.each(seeds)("tier 0 finds what re2js finds, invalid bytes included, seed %i", (seed) => {
    const random = seededRandom(seed);
    const differences: string[] = [];
    for (let round = 0; round < 150; round++) {
      const source = randomPattern(random);
      const pike = new Pike(compile(parse(source)).forward);
      const oracle = RE2JS.compile(source);
      for (let text = 0; text < 6; text++) {
        const bytes = randomBytes(random, 8);
        const matcher = oracle.matcher(bytes);
        let expected: number[] | null = null;
        if (matcher.find()) {
          expected = [];
          for (let group = 0; group < pike.slots / 2; group++) expected.push(matcher.start(group), matcher.end(group));
        }
        differences.push(...difference(source, bytes, 0, spans(pike, bytes, 0), expected));
      }
    }
    expect(differences).toEqual([]);
  });

  it.each(seeds)("tier 1 finds what tier 0 finds, from any character on, seed %i", (seed) => {
    const random = seededRandom(seed + 100);
    const differences: string[] = [];
    for (let round = 0; round < 200; round++) {
      const source = randomPattern(random);
      const compiled = compile(parse(source));
      const pike = new Pike(compiled.forward);
      const table = new TableEngine(compiled);
      const kernel = new KernelEngine(compiled, module);
      for (let text = 0; text < 6; text++) {
        const bytes = text === 0 ? randomBytes(random, 8) : encoder.encode(randomText(random, 12));
        let from = text < 3 ? 0 : random(bytes.length + 1);
        while (from < bytes.length && ((bytes[from] as number) & 0xc0) === 0x80) from++;
        const expected = spans(pike, bytes, from);
        differences.push(...difference(source, bytes, from, spans(table, bytes, from), expected));
        differences.push(...difference(source, bytes, from, spans(kernel, bytes, from), expected));
      }
      kernel.free();
    }
    expect(differences).toEqual([]);
  });

  it.each(seeds)("the kernel finds in a batch of lines what tier 0 finds in each, seed %i", (seed) => {
    const random = seededRandom(seed + 200);
    const differences: string[] = [];
    for (let round = 0; round < 60; round++) {
      const source = randomPattern(random);
      const compiled = compile(parse(source));
      const kernel = new KernelEngine(compiled, module);
      differences.push(...batchDifferences(module, source, new Pike(compiled.forward), kernel, randomTexts(random)));
      kernel.free();
    }
    expect(differences).toEqual([]);
  });

  it.each(seeds)(
    "generated code finds what tier 0 finds, in texts like those before and in others, seed %i",
    (seed) => {
      const random = seededRandom(seed + 300);
      const differences: string[] = [];
      let generated = 0;
      for (let round = 0; round < 40; round++) {
        const source = randomPattern(random);
        const compiled = compile(parse(source));
        const pike = new Pike(compiled.forward);
        const kernel = new KernelEngine(compiled, module);
        const texts = randomTexts(random);
        for (let time = 0; time < 9; time++) differences.push(...batchDifferences(module, source, pike, kernel, texts));
        if (kernel.statistics.tier === 2) generated++;
        differences.push(...batchDifferences(module, source, pike, kernel, randomTexts(random)));
        kernel.free();
      }
      expect(differences).toEqual([]);
      expect(generated).toBeGreaterThan(35);
    },
  );

  it.each([
    ["generates", true],
    ["does not", false],
  ])("a host that %s", async (_, generates) => {
    const own = await loadModule();
    own.generates = generates;
    const kernel = new KernelEngine(compile(parse("(\\w+)=([^;]*);")), own);
    const slots = new Int32Array(kernel.slots);
    for (let i = 0; i < 2100; i++) {
      const bytes = encoder.encode(`key${i}=${"value ".repeat(i % 9)};`);
      const end = bytes.length;
      const key = 3 + String(i).length;
      expect(kernel.exec(bytes, 0, end, 0, slots)).toBe(true);
      expect([...slots]).toEqual([0, end, 0, key, key + 1, end - 1]);
    }
    expect(kernel.statistics.tier).toBe(generates ? 2 : 1);
    kernel.free();
    expect(kernel.exec(encoder.encode("a=b;"), 0, 4, 0, slots)).toBe(true);
  });
});

function randomTexts(random: Random): Uint8Array[] {
  return Array.from({ length: 30 }, (_, line) =>
    line % 3 === 0
      ? encoder.encode(randomText(random, 6) + "ab".charAt(random(2)).repeat(random(70)) + randomText(random, 6))
      : randomBytes(random, 20),
  );
}
