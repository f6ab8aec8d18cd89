// The explanation for a line that nearly matches: the position in the line at which the match stopped, the part of the
// expression that failed there, and the expected text.

import { describe, expect, it } from "vitest";
import { expand } from "../../../lib/grok/expand.ts";
import { Grok } from "../../../lib/grok/grok.ts";
import { builtinPatterns } from "../../../lib/grok/load.ts";
import { FurthestMatch } from "../../../lib/regex/engines/furthest.ts";
import { parse } from "../../../lib/regex/syntax/parse.ts";

interface NearMiss {
  readonly line: string;
  readonly expression: string;
  readonly patterns?: Record<string, string>;
  /** The part of the line after the position at which the match stopped. */
  readonly found: string;
  /** A description of the expected text; `part` is the part of the expression that failed. */
  readonly expected: string;
  readonly part: string;
  readonly path: readonly string[];
  readonly field: string | null;
  readonly message: string;
}

const nearMisses: readonly NearMiss[] = [
  {
    line: '127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" OK 2326',
    expression: "%{COMMONAPACHELOG}",
    found: "OK 2326",
    expected: '"+"',
    part: "%{COMMONAPACHELOG}",
    path: ["COMMONAPACHELOG", "NUMBER", "BASE10NUM"],
    field: "response",
    message:
      'expected "+", "-", a digit or "." for response in %{COMMONAPACHELOG} > %{NUMBER} > %{BASE10NUM} at offset 65 after ..."0700] \\"GET /a HTTP/1.0\\" ", found "OK 2326"',
  },
  {
    line: '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a HTTP/1.0" 200 2326 "http://x/" Mozilla',
    expression: "%{COMBINEDAPACHELOG}",
    found: "Mozilla",
    expected: '"\\""',
    part: "%{COMBINEDAPACHELOG}",
    path: ["COMBINEDAPACHELOG", "QS", "QUOTEDSTRING"],
    field: "agent",
    message:
      'expected "\\"" or "\'" for agent in %{COMBINEDAPACHELOG} > %{QS} > %{QUOTEDSTRING} at offset 82 after ..."0\\" 200 2326 \\"http://x/\\" ", found "Mozilla"',
  },
  {
    line: "55.3.244.1 GET /index.html 15824 fast",
    expression: "%{IP:client} %{WORD:method} %{URIPATHPARAM:request} %{NUMBER:bytes:int} %{NUMBER:duration:float}",
    found: "fast",
    expected: '"+"',
    part: "%{NUMBER:duration:float}",
    path: ["NUMBER", "BASE10NUM"],
    field: "duration",
    message:
      'expected "+", "-", a digit or "." for duration in %{NUMBER:duration:float} > %{BASE10NUM} at offset 33 after ..."1 GET /index.html 15824 ", found "fast"',
  },
  {
    line: "55.3.244 GET",
    expression: "%{IP:client} %{WORD:method}",
    found: " GET",
    expected: '"."',
    part: "%{IP:client}",
    path: ["IP", "IPV4"],
    field: "client",
    message: 'expected "." for client in %{IP:client} > %{IPV4} at offset 8 after "55.3.244", found " GET"',
  },
  {
    line: "2024-01-02 10:11:12 NOTE hello",
    expression: "^%{TIMESTAMP_ISO8601:ts} +%{LOGLEVEL:level} %{GREEDYDATA:msg}$",
    found: "E hello",
    expected: '"ICE" of "NOTICE"',
    part: "%{LOGLEVEL:level}",
    path: ["LOGLEVEL"],
    field: "level",
    message:
      'expected "ICE" of "NOTICE" for level in %{LOGLEVEL:level} at offset 23 after "2024-01-02 10:11:12 NOT", found "E hello"',
  },
  {
    line: "2024-01-02 10:11:12,123 [main-1] INFO app.Main - up",
    expression:
      "^%{TIMESTAMP_ISO8601:ts} \\[%{WORD:thread}\\] %{LOGLEVEL:level} +%{NOTSPACE:logger} - %{GREEDYDATA:msg}",
    found: "-1] INFO app.Main - up",
    expected: '"] "',
    part: "\\] ",
    path: [],
    field: null,
    message: 'expected "] " at offset 29 after ..."01-02 10:11:12,123 [main", found "-1] INFO app.Main - up"',
  },
  {
    line: "user=alice took 12.5ms",
    expression: "user=%{WORD:user} took %{INT:ms:int}ms",
    found: ".5ms",
    expected: '"ms"',
    part: "ms",
    path: [],
    field: null,
    message: 'expected "ms" at offset 18 after "user=alice took 12", found ".5ms"',
  },
  {
    line: "level=info one two kode=12",
    expression: "level=%{LOGLEVEL:l} %{DATA:rest} code=%{INT:code:int}$",
    found: "kode=12",
    expected: '"code=" of " code="',
    part: "code=",
    path: [],
    field: null,
    message: 'expected "code=" of " code=" at offset 19 after "level=info one two ", found "kode=12"',
  },
  {
    line: "GET index.html",
    expression: "%{WORD:verb} %{URIPATH:path}$",
    found: "index.html",
    expected: '"/"',
    part: "%{URIPATH:path}",
    path: ["URIPATH"],
    field: "path",
    message: 'expected "/" for path in %{URIPATH:path} at offset 4 after "GET ", found "index.html"',
  },
  {
    line: "[10/Oct/2000:13:55:36 0700",
    expression: "\\[%{HTTPDATE:t}\\]",
    found: "",
    expected: '"]"',
    part: "\\]",
    path: [],
    field: null,
    message: 'expected "]" at offset 26 after ..."0/Oct/2000:13:55:36 0700", found the end of the text',
  },
  {
    line: "AB-12x4 01.02.2024",
    expression: "%{ORDER:o} %{DATE_EU:d}",
    patterns: { ORDER: "[A-Z]{2}-%{NUM4}", NUM4: "\\d{4}" },
    found: "x4 01.02.2024",
    expected: "a digit",
    part: "%{ORDER:o}",
    path: ["ORDER", "NUM4"],
    field: "o",
    message: 'expected a digit for o in %{ORDER:o} > %{NUM4} at offset 5 after "AB-12", found "x4 01.02.2024"',
  },
  {
    line: "on Xuesday",
    expression: "on %{DAY:day}",
    found: "Xuesday",
    expected: "the beginning of %{DAY}",
    part: "%{DAY:day}",
    path: ["DAY"],
    field: "day",
    message: 'expected the beginning of %{DAY} for day in %{DAY:day} at offset 3 after "on ", found "Xuesday"',
  },
  {
    line: "12a",
    expression: "^%{INT:n}$",
    found: "a",
    expected: "the end of the text",
    part: "$",
    path: [],
    field: null,
    message: 'expected the end of the text at offset 2 after "12", found "a"',
  },
];

describe("explain", () => {
  it.each(nearMisses)("$expression on $line", (miss) => {
    const grok = Grok.compile(miss.expression, miss.patterns === undefined ? {} : { patterns: miss.patterns });
    const explanation = grok.explain(miss.line);
    const [first] = explanation.expected;
    expect(explanation.message).toBe(miss.message);
    expect(explanation.matched).toBe(false);
    expect(miss.line.slice(explanation.at)).toBe(miss.found);
    expect({ ...first, span: miss.expression.slice(...first!.span) }).toEqual({
      text: miss.expected,
      span: miss.part,
      path: miss.path,
      field: miss.field,
    });
  });

  it("counts offsets in UTF-16 units for strings and in bytes for bytes", () => {
    const grok = Grok.compile("größe=%{INT:n}");
    expect(grok.explain("größe=x").at).toBe(6);
    expect(grok.explain(new TextEncoder().encode("größe=x")).at).toBe(8);
    expect(grok.explain("größe x").expected[0]?.text).toBe('"=" of "größe="');
  });

  it("returns the range of the match when the text matches", () => {
    expect(Grok.compile("%{INT:n}").explain("ab 12")).toEqual({
      matched: true,
      start: 3,
      at: 5,
      expected: [],
      message: "matches from 3 to 5",
    });
  });

  it("explains an empty text and an expression that nothing can match", () => {
    expect(Grok.compile("%{WORD:w}").explain("").message).toBe(
      "expected a letter, digit or _ for w in %{WORD:w} at offset 0, found the end of the text",
    );
    expect(Grok.compile("[^\\x00-\\x{10FFFF}]").explain("a").message).toBe(
      'expected nothing at all at offset 0, found "a"',
    );
  });

  it("reports a missing word boundary when everything else matches", () => {
    expect(Grok.compile("x%{POSINT:n}").explain("x5").message).toBe(
      'expected the edge of a word for n in %{POSINT:n} at offset 1 after "x", found "5"',
    );
  });

  it("explains an expression that repeats a large character set 1,000 times", () => {
    expect(Grok.compile("^\\pL{1000}-%{INT:n}$").explain(`${"é".repeat(1000)}=1`).message).toMatch(
      /^expected "-" at offset 1000 after .*, found "=1"$/,
    );
  });

  it("takes steps in proportion to the text", () => {
    const { root } = parse(expand("^(%{COMBINEDAPACHELOG}|(a*)*b|%{IPORHOST}+)$", builtinPatterns).regex, {
      namedOnly: true,
    });
    const steps = (length: number): number => {
      const furthest = new FurthestMatch(root);
      furthest.find(new TextEncoder().encode("10.a".repeat(length / 4)));
      return furthest.steps;
    };
    expect(steps(20_000)).toBeLessThan(2.1 * steps(10_000));
  });

  it("shows invalid UTF-8 bytes as escapes", () => {
    expect(Grok.compile("a%{INT:n}").explain(Uint8Array.of(0x61, 0xff)).message).toBe(
      'expected "+", "-" or a digit for n in %{INT:n} at offset 1 after "a", found "\\xff"',
    );
  });
});
