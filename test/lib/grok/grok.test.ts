// Grok expressions: references to patterns, types of fields, duplicate names, trimming of captures, pattern files
// (docs/reference/grok.md#pattern-files).

import { describe, expect, it } from "vitest";
import { LIBRARY_TEXT } from "../../../lib/grok/builtin-patterns.ts";
import { expand } from "../../../lib/grok/expand.ts";
import { Grok, lineOffsets } from "../../../lib/grok/grok.ts";
import { builtinPatterns, loadPatterns, parsePatternText } from "../../../lib/grok/load.ts";
import { PatternScope, type PatternSource } from "../../../lib/grok/patterns.ts";
import { trimSpace } from "../../../lib/grok/trim.ts";
import { Float } from "../../../lib/point/value.ts";

function fields(
  expression: string,
  text: string,
  trim = true,
  patterns: PatternSource = new PatternScope(null, builtinPatterns),
) {
  const grok = Grok.compile(expression, { patterns });
  const result: Record<string, unknown> = {};
  return grok.each(text, trim, (field, value) => {
    result[grok.fields[field]!.name] = value;
  })
    ? result
    : null;
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const float = (value: number) => new Float(value);

describe("grok", () => {
  it.each<[string, string, Record<string, unknown> | null]>([
    ["%{NUMBER:a:int} %{WORD:w}", "12 abc", { a: 12, w: "abc" }],
    ["%{WORD:svc.name-x}", "api", { svc_name_x: "api" }],
    [
      "%{WORD:a}(?: %{INT:b:int})?(?: %{NUMBER:c:float})?(?: %{WORD:d:bool})?(?: %{WORD:e})?",
      "hello",
      { a: "hello", b: 0, c: float(0), d: false, e: "" },
    ],
    ["%{WORD:a} %{WORD:a}", "x y", { a: "y" }],
    ["(?:%{INT:a}-|%{WORD:a}=)", "12-", { a: "12" }],
    ["(?:(?P<a>x)|(?P<b>y))+", "xy", { a: "x", b: "y" }],
    [
      "%{NOTSPACE:h:int} %{NOTSPACE:o:int} %{NOTSPACE:b:int} %{NOTSPACE:u:int}",
      "0x1f 017 0b101 1_000",
      { h: 31, o: 15, b: 5, u: 1000 },
    ],
    ["%{NOTSPACE:a:int} %{NOTSPACE:b:int} %{NOTSPACE:c:int}", "10.00 1.9 9223372036854775808", { a: 10, b: 0, c: 0 }],
    ["%{NOTSPACE:a:int} %{NOTSPACE:b:int}", "-9223372036854775808 08", { a: -9223372036854775808n, b: 0 }],
    [
      "%{NOTSPACE:a:float} %{NOTSPACE:b:float} %{NOTSPACE:c:float} %{NOTSPACE:d:float}",
      "1e3 0x1p4 5. 1e400",
      { a: float(1000), b: float(16), c: float(5), d: float(0) },
    ],
    ["%{WORD:a:bool} %{WORD:b:bool}", "T yes", { a: true, b: false }],
    ["%{IPV4:ip}", "256.1.1.1", { ip: "56.1.1.1" }],
    ["%{MONTH:m}", "Mär", { m: "Mär" }],
    ["%{TIME:t}", "at 23:59:60,123Z", { t: "23:59:6" }],
    ["%{}|%{ WORD:a}", "%{ WORD:a}", {}],
    ["%{WORD:a}", "", null],
  ])("%s on %j", (expression, text, expected) => {
    expect(fields(expression, text)).toEqual(expected);
  });

  it("trims Unicode white space, but not U+FEFF", () => {
    expect(fields("\\[(?P<a>[^\\]]*)\\]", "[\t\n\u00a0\u3000x\u2003\ufeff]")).toEqual({ a: "x\u2003\ufeff" });
    expect(fields("\\[(?P<a>[^\\]]*)\\]", "[  x  ]", false)).toEqual({ a: "  x  " });
    expect(fields("(?P<a>.*)", "\u0085 \u0085")).toEqual({ a: "" });
  });

  it("trims the same white space from bytes as from strings", () => {
    const spaces = [
      ..."\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f",
      ..."\u205f\u3000",
    ];
    const others = [..."a\u0084\u00a1\u167f\u180e\u1fff\u200b\u2027\u202a\u205e\u2060\u3001\ufeff\u0009\u4085😀"];
    const grok = Grok.compile("(?s)<(?P<a>.*)>");
    for (const outer of spaces)
      for (const inner of [...others, ...spaces]) {
        const text = `<${outer}${inner}${outer}x${inner}${outer}>`;
        const expected = trimSpace(text.slice(1, -1));
        expect(grok.match(text), JSON.stringify(text)).toEqual({ a: expected });
        expect(grok.match(utf8(text)), JSON.stringify(text)).toEqual({ a: expected });
      }
  });

  it("inherits types of nested definitions", () => {
    const scope = new PatternScope(null, builtinPatterns);
    expect(scope.define("t", expand("%{INT:h:int}:%{INT:m:float}", scope))).toBe("ok");
    expect(fields("%{t:whole} %{WORD:h}", "1:2 abc", true, scope)).toEqual({ whole: "1:2", h: 0, m: float(2) });
  });

  it("keeps the first definition of a name", () => {
    const scope = new PatternScope(null, builtinPatterns);
    expect(scope.define("INT", { regex: "x", types: new Map() })).toBe("ok");
    expect(scope.child().define("INT", { regex: "y", types: new Map() })).toBe("already defined");
    expect(fields("%{INT:a}", "1x", true, scope)).toEqual({ a: "x" });
  });

  it("reports the leftmost of several bad references", () => {
    expect(() => fields("%{INT:a:number} %{NOSUCH}", "")).toThrow("invalid pattern `%{INT:a:number}`");
    expect(() => fields("%{NOSUCH} %{.A}", "")).toThrow("no pattern found for %{NOSUCH}");
  });

  it("compiles every pattern of the library", () => {
    const names = [...parsePatternText(LIBRARY_TEXT).keys()];
    expect(names).toHaveLength(78);
    for (const name of names) expect(() => Grok.compile(`%{${name}}`)).not.toThrow();
  });

  it("drops invalid definitions of a file", () => {
    const { patterns, invalid } = loadPatterns(
      new Map([
        ["A", "%{B}x"],
        ["B", "b"],
        ["C", "%{D}"],
        ["D", "%{C}"],
        ["E", "("],
        ["F", "%{NOPE}"],
        ["INT", "never"],
      ]),
    );
    expect(fields("%{A:a} %{INT:i}", "bx 1", true, new PatternScope(null, patterns))).toEqual({ a: "bx", i: "1" });
    expect(invalid).toEqual(
      new Map([
        ["C", "circular dependency: pattern C -> D -> C"],
        ["D", "circular dependency: pattern D -> C -> D"],
        ["E", "error parsing regexp: missing closing ): `(`"],
        ["F", "no pattern found for %{NOPE}"],
      ]),
    );
  });
});

describe("the public class Grok", () => {
  it("returns plain values by field name", () => {
    const grok = Grok.compile(
      "%{IP:ip} %{INT:code:int} %{NUMBER:took:float} %{WORD:ok:bool} %{INT:big:int} %{GREEDYDATA:rest}",
    );
    expect(grok.fields).toEqual([
      { name: "ip", type: "string" },
      { name: "code", type: "int" },
      { name: "took", type: "float" },
      { name: "ok", type: "bool" },
      { name: "big", type: "int" },
      { name: "rest", type: "string" },
    ]);
    const expected = { ip: "10.0.0.1", code: 200, took: 0.5, ok: true, big: 9223372036854775807n, rest: "é😀" };
    expect(grok.match("10.0.0.1 200 0.5 true 9223372036854775807 é😀 ")).toEqual(expected);
    expect(grok.match(utf8("10.0.0.1 200 0.5 true 9223372036854775807 é😀 "))).toEqual(expected);
    expect(grok.match("nothing")).toBeNull();
  });

  it("keeps white space when trim is false", () => {
    expect(Grok.compile("<(?P<a>.*)>").match("< x >", { trim: false })).toEqual({ a: " x " });
  });

  it("accepts definitions that refer to each other and override the library", () => {
    const patterns = { ORDER: "[A-Z]{2}-%{NUM4}", NUM4: "\\d{4}", INT: "[a-z]+" };
    expect(Grok.compile("%{ORDER:o} %{INT:i} %{WORD:w}", { patterns }).match("AB-1234 abc d")).toEqual({
      o: "AB-1234",
      i: "abc",
      w: "d",
    });
    expect(() => Grok.compile("%{A}", { patterns: { A: "%{B}", B: "%{A}" } })).toThrow(
      "circular dependency: pattern A -> B -> A",
    );
    expect(() => Grok.compile("%{A}", { patterns: { A: "(" } })).toThrow("error parsing regexp: missing closing )");
  });

  it("refuses definitions that expand exponentially", () => {
    const patterns = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`P${i + 1}`, `%{P${i}}%{P${i}}`]));
    expect(() => Grok.compile("%{P40}", { patterns: { ...patterns, P0: "ab" } })).toThrow(
      "expression too large: `%{P1",
    );
  });

  it("returns a field named __proto__", () => {
    expect(Object.entries(Grok.compile("(?P<__proto__>a)").match("a")!)).toEqual([["__proto__", "a"]]);
  });
});

describe("matchBatch", () => {
  const grok = Grok.compile("^%{WORD:w}(?: %{INT:n:int})?(?P<w2> +x)?$");
  const bytes = utf8("alpha 12\n!\nβ\nbeta\ngamma 7   x\n\nlast");

  it("returns trimmed offsets of every line without creating strings", () => {
    const lines = lineOffsets(bytes);
    expect(Array.from(lines)).toEqual([0, 8, 9, 10, 11, 13, 14, 18, 19, 30, 31, 31, 32, 36]);
    const captures = grok.matchBatch(bytes, lines);
    expect(Array.from(captures.matched)).toEqual([1, 0, 0, 1, 1, 0, 1]);
    const row = (line: number) => Array.from(captures.offsets.subarray(line * 6, line * 6 + 6));
    expect(row(0)).toEqual([0, 5, 6, 8, -1, -1]);
    expect(row(1)).toEqual([-1, -1, -1, -1, -1, -1]);
    expect(row(3)).toEqual([14, 18, -1, -1, -1, -1]);
    expect(row(4)).toEqual([19, 24, 25, 26, 29, 30]);
    expect(grok.matchBatch(bytes, lines, { trim: false }).offsets.subarray(28, 30)).toEqual(Int32Array.of(26, 30));
  });

  it("returns the same values as match", () => {
    const lines = lineOffsets(bytes);
    const captures = grok.matchBatch(bytes, lines);
    for (let line = 0; line < lines.length / 2; line++) {
      const matched = grok.match(bytes.subarray(lines[line * 2], lines[line * 2 + 1]));
      expect(captures.matched[line] === 1).toBe(matched !== null);
      if (matched === null) continue;
      const values = grok.fields.map(({ name }, field) => [name, grok.valueAt(bytes, captures, line, field)]);
      expect(Object.fromEntries(values)).toEqual(matched);
    }
  });

  it("reuses the given arrays when they are large enough", () => {
    const lines = lineOffsets(bytes);
    const into = grok.matchBatch(bytes, lines);
    const again = grok.matchBatch(bytes, lines.subarray(6, 8), { into });
    expect(again.offsets).toBe(into.offsets);
    expect(Array.from(again.offsets.subarray(0, 6))).toEqual([14, 18, -1, -1, -1, -1]);
    expect(again.matched[0]).toBe(1);
  });
});
