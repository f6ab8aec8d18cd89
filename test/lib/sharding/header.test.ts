// The wire form of X-Global-Tags (gateway document, section 1).

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatHeader,
  fromHeaderBytes,
  joinHeaderLines,
  parseHeader,
  toHeaderBytes,
} from "../../../lib/sharding/header.ts";
import table from "./header-parsing.jsonl?raw";
import { rowsOf } from "./rows.ts";

interface Row {
  readonly header: string;
  readonly pairs: readonly (readonly [string, string])[];
}

describe("the header", () => {
  it.each(rowsOf<Row>(table))("$header", ({ header, pairs }) => {
    expect([...parseHeader(header)]).toEqual(pairs);
  });

  it("is one text when it comes in several lines", () => {
    expect([...parseHeader(joinHeaderLines(["a=1", "b=2,a=3"]))]).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
  });

  it("is written without what could not be read back or would start a new header", () => {
    const written = formatHeader([
      ["a", " x\r\ny\0 "],
      ["b", "\t"],
      ["", "x"],
      ["c,d", "x"],
      ["e=f", "x"],
      ["g\r\nh", "x"],
      ["i", "j"],
    ]);
    expect(written).toBe("a=x y,i=j");
  });

  it("goes over the wire as UTF-8", () => {
    const bytes = toHeaderBytes("team=支付,é=😀");
    expect(bytes).toBe("team=\u00e6\u0094\u00af\u00e4\u00bb\u0098,\u00c3\u00a9=\u00f0\u009f\u0098\u0080");
    expect(fromHeaderBytes(bytes)).toBe("team=支付,é=😀");
  });
});

describe("any header", () => {
  it("is read, and keys without a comma or `=` and values that begin no pair are read back", () => {
    const key = fc
      .string({ unit: "binary", minLength: 1, maxLength: 8 })
      .filter((text) => !/[,=\0-\x1f\x7f]|^ | $/.test(text));
    const value = fc.string({ unit: "binary", maxLength: 12 }).filter((text) => !/,/.test(text));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, value), { selector: ([name]) => name, maxLength: 6 }), (pairs) => {
        const kept = pairs
          .map(([name, text]): [string, string] => [name, text.replace(/[\0-\x1f\x7f]+/g, " ").trim()])
          .filter(([, text]) => text !== "");
        expect([...parseHeader(formatHeader(pairs))]).toEqual(kept);
      }),
      { numRuns: 500 },
    );
  });

  it("that somebody makes up is read without an error, each key once and never empty", () => {
    const text = fc.string({ unit: fc.constantFrom(..."a=, b\t中=,"), maxLength: 40 });
    fc.assert(
      fc.property(text, (header) => {
        const pairs = parseHeader(header);
        for (const [name] of pairs) expect(name).not.toMatch(/^$|[,=]/);
        // Nothing is made up: every value is a part of the header, but for spaces around commas.
        const squeezed = header.replaceAll(/ *, */g, ",");
        for (const [, value] of pairs) expect(squeezed).toContain(value.replace(/ +$/, ""));
      }),
      { numRuns: 1000 },
    );
  });
});
