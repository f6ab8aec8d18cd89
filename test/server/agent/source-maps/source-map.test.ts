// Source maps decoded into typed arrays. The tests check that lookups in these arrays find the same positions as
// the library @jridgewell/trace-mapping, and that the decoder checks limits before it makes any array.

import { encodedMap, FlattenMap, type SourceMapSegment, TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJavaMapping } from "../../../../server/agent/source-maps/java-stack.ts";
import { MapTooLarge, mapBounds, parseSourceMap } from "../../../../server/agent/source-maps/source-map.ts";

const utf8 = (value: unknown) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

const small = fc.nat(12);
const segment: fc.Arbitrary<SourceMapSegment> = fc.oneof(
  fc.tuple(small),
  fc.tuple(small, fc.nat(2), small, small),
  fc.tuple(small, fc.nat(2), fc.nat(100_000), fc.nat(100_000), fc.nat(1)),
);
const map = fc
  .array(fc.array(segment, { maxLength: 6 }), { maxLength: 8 })
  .map((mappings) =>
    encodedMap(new TraceMap({ version: 3, sources: ["a.ts", "/b.ts", "c.ts"], names: ["n", "m"], mappings })),
  );
const sectioned = fc.array(fc.tuple(fc.nat(4), fc.nat(6), map), { minLength: 1, maxLength: 4 }).map((parts) => {
  let [line, column] = [0, 0];
  const sections = parts.map(([lines, columns, its]) => {
    column = lines === 0 ? column + columns : columns;
    line += lines;
    return { offset: { line, column }, map: its };
  });
  return { version: 3 as const, sections };
});

/**
 * Returns the position that the library trace-mapping finds at or before a column of a line; if the line has none, the
 * last position on an earlier line.
 */
function expected(traced: TraceMap, lines: number, line: number, column: number) {
  if (line >= lines) return undefined;
  for (let at = line, from = column; at >= 0; at--, from = Number.MAX_SAFE_INTEGER) {
    const found = traceSegment(traced, at, from);
    if (found === null) continue;
    if (found.length === 1) return { source: null };
    return { source: traced.sources[found[1]], line: found[2], column: found[3] };
  }
  return undefined;
}

function shown(place: ReturnType<ReturnType<typeof parseSourceMap>["find"]>) {
  return place?.source === null ? { source: null } : place;
}

describe("a source map", () => {
  it.each([
    ["of one part", map],
    ["of sections", sectioned],
  ])("%s returns the same positions as trace-mapping", (_name, maps) => {
    fc.assert(
      fc.property(maps as fc.Arbitrary<object>, fc.nat(14), fc.nat(20), (written, line, column) => {
        const traced = new FlattenMap(JSON.parse(JSON.stringify(written))) as TraceMap;
        const lines = (JSON.parse(JSON.stringify(encodedMap(traced))) as { mappings: string }).mappings.split(
          ";",
        ).length;
        const parsed = parseSourceMap(utf8(written));
        // The library may drop empty lines at the end of the map when it encodes the map. So the test compares only
        // positions before these lines.
        const own = parsed.find(line, column);
        const theirs = expected(traced, lines, line, column);
        if (line < lines) expect(shown(own)).toEqual(theirs?.source === null ? { source: null } : theirs);
      }),
      { numRuns: 2000 },
    );
  });

  it("uses 16 bytes per segment and 4 bytes per line", () => {
    const mappings = `${"AAAA,".repeat(1000)}${";".repeat(500)}`;
    const { bytes } = parseSourceMap(utf8({ version: 3, sources: ["a"], mappings }));
    expect(bytes).toBe(16 * 1000 + 4 * (501 + 1) + 2);
  });

  const plain = { version: 3, sources: ["a"], names: [], mappings: "AAAA" };
  it.each<[string, unknown]>([
    ["no object", [1]],
    ["another version", { ...plain, version: 2 }],
    ["mappings that are no text", { ...plain, mappings: [[[0]]] }],
    ["sources that are no texts", { ...plain, sources: [1] }],
    ["letters that are no digits", { ...plain, mappings: "A!" }],
    ["letters beyond ASCII", { ...plain, mappings: "A\u00e9" }],
    ["a number without an end", { ...plain, mappings: "AAAg" }],
    ["a number of 40 bits", { ...plain, mappings: "gggggggA" }],
    ["six values", { ...plain, mappings: "AAAAAA" }],
    [
      "sections in sections",
      { version: 3, sections: [{ offset: { line: 0, column: 0 }, map: { version: 3, sections: [] } }] },
    ],
    [
      "sections out of order",
      { version: 3, sections: [1, 0].map((line) => ({ offset: { line, column: 0 }, map: plain })) },
    ],
    ["a negative offset", { version: 3, sections: [{ offset: { line: -1, column: 0 }, map: plain }] }],
  ])("with %s is invalid", (_name, written) => {
    expect(() => parseSourceMap(utf8(written))).toThrow(Error);
    expect(() => parseSourceMap(utf8(written))).not.toThrow(MapTooLarge);
  });

  it.each<[string, unknown, string]>([
    ["100 million lines", { ...plain, mappings: ";".repeat(100_000_000) }, "more than 2000000 lines"],
    ["many segments", { ...plain, mappings: "A,".repeat(mapBounds.segments + 1) }, "more than 4000000 segments"],
    ["many sources", { ...plain, sources: Array(mapBounds.sources + 1).fill("") }, "more than 100000 sources"],
    ["many names", { ...plain, names: Array(mapBounds.names + 1).fill("") }, "more than 1000000 names"],
    ["many values", `{"version":3,"x":[${"1,".repeat(mapBounds.values)}1]}`, "more than 3000000 values"],
    ["deep values", `{"version":3,"x":${"[".repeat(101)}${"]".repeat(101)}}`, "more than 100 levels"],
    [
      "a section at line two billion",
      { version: 3, sections: [{ offset: { line: 2_000_000_000, column: 0 }, map: plain }] },
      "more than 2000000 lines",
    ],
    [
      "many sections",
      { version: 3, sections: Array(mapBounds.sections + 1).fill({ offset: { line: 0, column: 0 }, map: plain }) },
      "more than 10000 sections",
    ],
    [
      "many lines in all sections together",
      {
        version: 3,
        sections: [0, 1_500_000].map((line) => ({
          offset: { line, column: 0 },
          map: { ...plain, mappings: ";".repeat(700_000) },
        })),
      },
      "more than 2000000 lines",
    ],
  ])("with %s is too large", (_name, written, message) => {
    expect(() => parseSourceMap(utf8(written))).toThrow(new MapTooLarge(message));
  });
});

it("a mapping.txt with more than a million names is too large", () => {
  expect(() => parseJavaMapping(utf8("a -> b:\n".repeat(1_000_001)))).toThrow(
    new MapTooLarge("more than 1000000 classes and methods"),
  );
  expect(() => parseJavaMapping(utf8(`a -> b:\n${" int a() -> b\n".repeat(1_000_000)}`))).toThrow(MapTooLarge);
});
