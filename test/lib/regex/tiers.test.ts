// The tiers agree with each other, and tier 0 with an implementation of RE2 that is not ours, on random expressions and texts.

import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { compile } from "../../../lib/regex/compile.ts";
import type { Engine } from "../../../lib/regex/engine.ts";
import { parse } from "../../../lib/regex/parse.ts";
import { Pike } from "../../../lib/regex/pike.ts";
import { TableEngine } from "../../../lib/regex/table-engine.ts";
import { randomBytes, randomPattern, randomText, seededRandom } from "./random-pattern.ts";

const encoder = new TextEncoder();

/** The slots of a match, null when there is none. */
function spans(engine: Engine, bytes: Uint8Array, from: number): number[] | null {
  const slots = new Int32Array(engine.slots);
  return engine.exec(bytes, 0, bytes.length, from, slots) ? [...slots] : null;
}

/** What one engine finds and the other does not, told so that it can be tried again. */
function difference(
  source: string,
  bytes: Uint8Array,
  from: number,
  one: number[] | null,
  other: number[] | null,
): string[] {
  const text = String(one);
  return text === String(other) ? [] : [`${JSON.stringify(source)} on ${bytes} from ${from}: ${text}, not ${other}`];
}

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
      for (let text = 0; text < 6; text++) {
        const bytes = text === 0 ? randomBytes(random, 8) : encoder.encode(randomText(random, 12));
        let from = text < 3 ? 0 : random(bytes.length + 1);
        while (from < bytes.length && ((bytes[from] as number) & 0xc0) === 0x80) from++;
        differences.push(...difference(source, bytes, from, spans(table, bytes, from), spans(pike, bytes, from)));
      }
    }
    expect(differences).toEqual([]);
  });
});
