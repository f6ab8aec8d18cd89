// Hints for errors of scripts, in addition to the fixed error message: the exact position, the word that was probably
// meant, and warnings about calls that have no effect.

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../../lib/grok/load.ts";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import { diagnose } from "../../../../lib/pipeline/editor/diagnose.ts";
import { plErrorText } from "../../../../lib/pipeline/syntax/errors.ts";

const options = { patterns: builtinPatterns };

/** Returns each error of a script as `line:column hint`, with the exact position of the error. */
function helped(text: string): string[] {
  return diagnose({ "a.p": text }, options).map(({ error }) => {
    const { ln, col } = error.at ?? error.pos_chain[0]!;
    return `${ln}:${col} ${error.hint ?? "-"}`;
  });
}

describe("help with a mistake", () => {
  it.each<[script: string, help: string[]]>([
    // Misspelled functions, keywords and operators: the hint names the word that was probably meant.
    ["add_kye(a, 1)", ["1:1 did you mean add_key?"]],
    ["Add_key(a, 1)", ["1:1 did you mean add_key?"]],
    ["grind()", ["1:1 -"]],
    ["if a and b { }", ["1:6 did you mean &&?"]],
    ["if a == 1 or b == 2 { }", ["1:11 did you mean ||?"]],
    ["if not a { }", ["1:4 did you mean !?"]],
    ["if a { } else if b { }", ["1:10 did you mean elif?"]],
    ["if a { } elseif b { }", ["1:10 did you mean elif?"]],
    ["if a { } esle { }", ["1:10 did you mean else?"]],
    ["fro x in [1] { }", ["1:1 did you mean for?"]],
    ["if a = 1 { }", ["1:6 did you mean ==?"]],
    ["if a & b { }", ["1:6 did you mean &&?"]],
    ["a = None", []],
    // Scripts with wrong escapes in strings, and the hints for them.
    ['a = "x\\d"', ['1:7 write \\\\d, or put the text between """ and """, where a backslash is a backslash']],
    // An error reports a bracket without its partner once, at the position of this bracket.
    ["add_key(r, 1", ["1:8 this bracket is never closed"]],
    ["a = 1\nadd_key(r, (1 + 2)\nb = 2\nc = 3", ["2:8 this bracket may not be closed"]],
    ["a = [1,\n2\nb = 3", ["1:5 this bracket may not be closed"]],
    ["if true {\n  a = 1\n\nb = 2", ["1:9 this bracket is never closed"]],
    // Scripts with names that are wrongly written in quotes.
    ['rename(depth, "f")', ["1:15 a name is written without quotes: f"]],
    ['append("a b", 1)', ["1:8 a name is written without quotes: `a b`"]],
    // Scripts with misspelled names of grok patterns.
    ['grok(_, "%{WROD:a}")', ["1:10 did you mean WORD?"]],
    ['grok(_, "%{INT:b} %{IPORHSOT:a}")', ["1:19 did you mean IPORHOST?"]],
    ['grok(_, "\\t\\"%{QUX}")', ["1:14 -"]],
    [
      'grok(_, "%{IP:x:integer}")',
      ["1:10 there is no type integer, did you mean int? a type is string, str, float, int, bool"],
    ],
    ['grok(_, "%{IP:x:number}")', ["1:10 there is no type number; a type is string, str, float, int, bool"]],
    ['grok(_, "%{INT:a} (?<=x)b")', ["1:19 lookbehind is not supported"]],
    ['grok(_, "%{INT:a} (?<!x)b")', ["1:19 lookbehind is not supported"]],
    ['grok(_, """a(?=b)""")', ["1:13 lookahead is not supported"]],
    ['grok(_, "(?>a)")', ["1:10 an atomic group is not supported"]],
    ['replace(s, "(a)\\\\1", "b")', ["1:16 a reference to a group, such as \\1, is not supported"]],
    // The error is at the definition of the invalid pattern, not at the call that uses the pattern.
    ['add_pattern("bad", "x(")\ngrok(_, "%{INT:a} %{bad:v}")', ["1:22 -"]],
    ['add_pattern("bad", "[a")\nadd_pattern("two", "%{bad}")\ngrok(_, "%{two}")', ["1:21 -"]],
    ['add_pattern("x", "%{nosuch}")', ["1:19 -"]],
  ])("%j", (script, help) => {
    expect(helped(script)).toEqual(help);
  });

  it("shows an expression before its expansion, and shortens a long expression", () => {
    const { errors } = compileScripts({ "a.p": 'grok(_, "(%{COMBINEDAPACHELOG} %{IPV6}")' }, options);
    expect(errors.get("a.p")!.error).toBe("error parsing regexp: missing closing ): `(%{COMBINEDAPACHELOG} %{IPV6}`");
    const long = compileScripts({ "a.p": `grok(_, "(${"x".repeat(5000)}")` }, options).errors.get("a.p")!;
    expect(long.error.length).toBeLessThan(300);
  });

  it("puts the exact position and the hint on separate lines", () => {
    const { errors } = compileScripts({ "a.p": 'x = 1\ngrok(_, "%{WROD:a}")' }, options);
    expect(plErrorText(errors.get("a.p")!)).toBe(
      "a.p:2:1: no pattern found for %{WROD}\na.p:2:10: here\nhint: did you mean WORD?",
    );
  });

  it("keeps the hint of a mistake in a used script", () => {
    const { errors } = compileScripts({ "a.p": 'use("b.p")', "b.p": "add_kye(a)" }, options);
    expect(errors.get("a.p")!.hint).toBe("did you mean add_key?");
  });
});

function warned(text: string): string[] {
  return diagnose({ "a.p": text }, options).map(({ severity, message, from, to }) => {
    return `${severity} [${text.slice(from, to)}] ${message}`;
  });
}

describe("warnings of calls that do nothing", () => {
  it.each<[script: string, warning: string]>([
    [
      'default_time_with_fmt(time, "%y/%m/%d")',
      '["%y/%m/%d"] the layout is the date Mon Jan 2 15:04:05 2006 -0700 as the text would write it, % means nothing in it; did you mean "06/01/02"?',
    ],
    [
      'default_time_with_fmt(time, "%F %T %z")',
      '["%F %T %z"] the layout is the date Mon Jan 2 15:04:05 2006 -0700 as the text would write it, % means nothing in it; did you mean "2006-01-02 15:04:05 -0700"?',
    ],
    ['default_time_with_fmt(time, "yyyy")', '["yyyy"] the layout names no part of a date, so no text is a time'],
    [
      'datetime(ts, "ms", "rfc3339")',
      '["rfc3339"] unknown layout rfc3339, its text takes the place of the value; did you mean RFC3339?',
    ],
    [
      'datetime(ts, "ms", "yyyy")',
      '["yyyy"] unknown layout yyyy, its text takes the place of the value; a layout\'s name, or placeholders such as %Y-%m-%d',
    ],
    ["sample(2)", "[2] a probability lies between 0 and 1, sample(2) gives nil"],
    ["adjust_timezone(t, 99)", "[99] minute lies between 0 and 15, 99 is taken as 15"],
    ["format_int(5, 99)", "[99] base must be in [2, 36], with 99 the run ends here"],
    ['parse_int("5", 99)', "[99] base must be 0 or in [2, 36], with 99 the result is 0"],
    [
      'create_point("n", {}, {"f": 1}, category="loging")',
      '["loging"] unknown category, the call does nothing; did you mean logging?',
    ],
    [
      'agg_create("b", category="metrics")',
      '["metrics"] unknown category, the call does nothing; did you mean metric?',
    ],
    ['decode(_, "GBK")', '["GBK"] unknown encoding, the text is left as it is; did you mean gbk?'],
    ['hash("a", "md4")', '["md4"] unknown method, the result is empty; a method is md5, sha1, sha256, sha512'],
    ['cidr(ip, "10.0.0.0")', '["10.0.0.0"] the text is no network such as 10.0.0.0/8, so the result is always false'],
    [
      'cidr(ip, "10.0.0.0/33")',
      '["10.0.0.0/33"] the text is no network such as 10.0.0.0/8, so the result is always false',
    ],
    [
      'cidr("ip", "10.0.0.0/8")',
      '["ip"] the text is no IP address, so the result is always false; a key is written without quotes',
    ],
    [
      'grok(_, "%{IPORHOST:[source][address]}")',
      '["%{IPORHOST:[source][address]}"] %{IPORHOST:[source][address]} is no reference but plain text; did you mean %{IPORHOST:source_address}? With --ecs (pipeline.ecs_patterns of the agent) it writes source.address',
    ],
  ])("%s", (script, warning) => {
    expect(warned(script)).toEqual([`warning ${warning}`]);
  });

  it.each([
    'default_time_with_fmt(time, "2006-01-02")',
    'datetime(ts, "ms", "%Y")',
    "sample(1)",
    "sample(0.5)",
    "adjust_timezone(t, 15)",
    "format_int(5, 36)",
    "parse_int(s, 0)",
    'create_point("n", {}, {"f": 1}, category="L")',
    `decode(_, "'gbk'")`,
    'cidr("::1", "::/0")',
    'grok(_, "%{IP:x:int} 5%{x")',
  ])("do not appear for %s", (script) => {
    expect(warned(script)).toEqual([]);
  });
});
