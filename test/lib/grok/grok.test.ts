// Expressions: references, types, duplicates, trimming, pattern files (grok document, sections 1.3 and 2).

import { describe, expect, it } from "vitest";
import { expand } from "../../../lib/grok/expand.ts";
import { Grok } from "../../../lib/grok/grok.ts";
import { LIBRARY_TEXT } from "../../../lib/grok/library.ts";
import { builtinPatterns, loadPatterns, parsePatternText } from "../../../lib/grok/load.ts";
import { PatternScope } from "../../../lib/grok/patterns.ts";
import { Float } from "../../../lib/point/value.ts";

function fields(expression: string, text: string, trim = true, patterns = new PatternScope(null, builtinPatterns)) {
  const grok = Grok.compile(expression, patterns);
  const result: Record<string, unknown> = {};
  return grok.match(text, trim, (field, value) => {
    result[grok.names[field] as string] = value;
  })
    ? result
    : null;
}

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

  it("reports bad references from the left", () => {
    expect(() => fields("%{INT:a:number} %{NOSUCH}", "")).toThrow("invalid pattern `%{INT:a:number}`");
    expect(() => fields("%{NOSUCH} %{.A}", "")).toThrow("no pattern found for %{NOSUCH}");
  });

  it("compiles every pattern of the library", () => {
    const names = [...parsePatternText(LIBRARY_TEXT).keys()];
    expect(names).toHaveLength(78);
    for (const name of names) expect(() => Grok.compile(`%{${name}}`, builtinPatterns)).not.toThrow();
  });

  it("drops definitions of a file that cannot be used", () => {
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
