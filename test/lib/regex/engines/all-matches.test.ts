// One scan can find all matches of a long text. It must find the same matches as repeated single searches, and
// it does not read the text again for each match.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { characterWidth, isValidUtf8 } from "../../../../lib/regex/automaton/utf8.ts";
import { compile } from "../../../../lib/regex/compile.ts";
import { Scan } from "../../../../lib/regex/engines/all-matches.ts";
import { Pike } from "../../../../lib/regex/engines/pike.ts";
import { TableEngine } from "../../../../lib/regex/engines/table-engine.ts";
import { Regex } from "../../../../lib/regex/regex.ts";
import { parse } from "../../../../lib/regex/syntax/parse.ts";
import { byteTexts, expressions, texts } from "../../../fuzz/regex-arbitrary.ts";

const encoder = new TextEncoder();

/**
 * Returns the slots (bounds of groups) of all matches by repeated searches. After an empty match, the next search
 * begins one character later.
 */
function all(bytes: Uint8Array, slots: Int32Array, exec: (from: number) => boolean): number[][] {
  const found: number[][] = [];
  for (let at = 0; at <= bytes.length && exec(at); ) {
    found.push([...slots]);
    const [start, end] = slots as unknown as [number, number];
    at = start < end ? end : end + (end < bytes.length ? characterWidth(bytes, end, bytes.length) || 1 : 1);
  }
  return found;
}

function scanOf(source: string, bytes: Uint8Array) {
  const compiled = compile(parse(source));
  const [tables, pike] = [new TableEngine(compiled), new Pike(compiled.forward)];
  return { scan: new Scan(bytes, isValidUtf8(bytes, 0, bytes.length), tables, () => pike), tables, pike };
}

describe("a scan", () => {
  it("finds the same matches as tier 0, also in invalid bytes", () => {
    const longer = fc.oneof(
      { weight: 3, arbitrary: fc.array(texts, { maxLength: 12 }).map((parts) => encoder.encode(parts.join(""))) },
      {
        weight: 1,
        arbitrary: fc
          .array(byteTexts, { maxLength: 6 })
          .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part]))),
      },
    );
    fc.assert(
      fc.property(expressions, longer, (source, bytes) => {
        const { scan, pike } = scanOf(source, bytes);
        const slots = new Int32Array(pike.slots);
        const expected = all(bytes, slots, (from) => pike.exec(bytes, 0, bytes.length, from, slots));
        expect(all(bytes, slots, (from) => scan.exec(from, slots))).toEqual(expected);
      }),
      { seed: 400, numRuns: 600 },
    );
  });

  it.each([
    ["(\\d)", "1-"],
    ["(?P<k>\\w+)=(\\w*)", "key=value; "],
    ["\\b", "ab cd "],
    ["$|x", "x\n"],
  ])("for %s reads a text at most a few times, and uses tables only", (source, unit) => {
    const [once, twice] = [50_000, 100_000].map((size) => {
      const bytes = encoder.encode(unit.repeat(size / unit.length));
      const { scan, tables, pike } = scanOf(source, bytes);
      const slots = new Int32Array(tables.slots);
      expect(all(bytes, slots, (from) => scan.exec(from, slots)).length).toBeGreaterThan(size / unit.length - 2);
      expect(pike.steps).toBe(0);
      return tables.steps;
    });
    expect(twice! / once!).toBeLessThan(2.1);
    expect(twice!).toBeLessThan(4 * 100_000);
  });

  it("switches to tier 0 when every search would read to the end of the text", () => {
    const bytes = encoder.encode("a".repeat(2000));
    const { scan, tables, pike } = scanOf("a.*z|a", bytes);
    const slots = new Int32Array(tables.slots);
    expect(all(bytes, slots, (from) => scan.exec(from, slots)).length).toBe(2000);
    expect(tables.steps).toBeLessThan(20 * 2000);
    expect(pike.steps).toBeGreaterThan(0);
  });

  it("keeps a separate position for each of two readers of one text", () => {
    const regex = Regex.compile("\\d");
    const text = "1a".repeat(100);
    const [one, other] = [regex.matches(text), regex.matches(text)];
    for (let i = 0; i < 100; i++) {
      expect(one.next().value?.start).toBe(2 * i);
      if (i % 2 === 0) expect(other.next().value?.start).toBe(i);
    }
    expect(one.next().done).toBe(true);
  });
});
