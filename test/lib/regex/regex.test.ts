// The dialect: what matches, what is captured, what is refused and how (grok document, section 3).

import { describe, expect, it } from "vitest";
import { compileRegex } from "../../../lib/regex/regex.ts";

function captures(source: string, text: string): readonly (string | undefined)[] | null {
  const found = compileRegex(source).captures(text);
  return found === null ? null : Array.from(found);
}

function refusal(source: string): string {
  try {
    compileRegex(source);
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("regex", () => {
  it.each<[string, string, (string | undefined)[] | null]>([
    ["(?P<a>a|ab)(?P<b>c|bcd)?(?P<c>d*)", "abcd", ["abcd", "a", "bcd", ""]],
    ["(?P<a>a*)*", "aab", ["aa", "aa"]],
    ["(?P<a>|a)+", "aa", ["", ""]],
    ["(?:(?P<a>x)|(?P<b>y))+", "xy", ["xy", "x", "y"]],
    ["(a+)+$", `${"a".repeat(64)}b`, null],
    ["a{,5}", "a{,5}", ["a{,5}"]],
    [".+", "a\r\u2028\nb", ["a\r\u2028"]],
    ["(?s).+", "a\nb", ["a\nb"]],
    ["a$", "a\n", null],
    ["(?m)^b$", "a\nb\nc", ["b"]],
    ["\\s", "\u000b\u00a0", null],
    ["[[:space:]]", "\u000b", ["\u000b"]],
    ["(?i)k", "\u212a", ["\u212a"]],
    ["(?i)[a-z]+", "\u017fX", ["\u017fX"]],
    ["(?i)σ", "ς", ["ς"]],
    ["(?i)ß", "ẞ", ["ẞ"]],
    ["(?i)a(?-i)b", "AB", null],
    ["\\bé", "aé", ["é"]],
    ["\\bé", "é", null],
    ["\\pL+", "aβ1", ["aβ"]],
    ["\\p{^Lu}+", "aB", ["a"]],
    ["\\p{Greek}+", "aβγ", ["βγ"]],
    ["\\Qa.b\\E+", "a.bbb", ["a.bbb"]],
    ["[]a]+", "]a", ["]a"]],
    ["[a-b-c]+", "a-c", ["a-c"]],
    ["[^a]", "\n", ["\n"]],
    ["\\x{1F600}.", "😀😁", ["😀😁"]],
    ["\\12", "\n", ["\n"]],
    ["(?P<a>x){0}y", "y", ["y", undefined]],
    ["(?U)a+", "aaa", ["a"]],
    ["^*", "b", [""]],
    ["(?<n>a)", "a", ["a", "a"]],
  ])("%s on %j", (source, text, expected) => {
    expect(captures(source, text)).toEqual(expected);
  });

  it.each([
    ["a(?=b)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(?<=a)", "invalid or unsupported Perl syntax: `(?<`"],
    ["(?>a)b", "invalid or unsupported Perl syntax: `(?>`"],
    ["(?P=a)", "invalid or unsupported Perl syntax: `(?P`"],
    ["(?x)a", "invalid or unsupported Perl syntax: `(?x`"],
    ["(?i", "invalid or unsupported Perl syntax: `(?i`"],
    ["(?P<a b>x)", "invalid named capture: `(?P<a b>`"],
    ["(?P<a", "invalid named capture: `(?P<a`"],
    ["(a)\\1", "invalid escape sequence: `\\1`"],
    ["\\18", "invalid escape sequence: `\\1`"],
    ["\\u0041", "invalid escape sequence: `\\u`"],
    ["[a-\\d]", "invalid escape sequence: `\\d`"],
    ["[\\b]", "invalid escape sequence: `\\b`"],
    ["\\x{110000}", "invalid escape sequence: `\\x{110000`"],
    ["\\p{L", "invalid character class range: `\\p{L`"],
    ["[[:ALPHA:]]", "invalid character class range: `[:ALPHA:]`"],
    ["[z-a]", "invalid character class range: `z-a`"],
    ["[]", "missing closing ]: `[]`"],
    ["(a", "missing closing ): `(a`"],
    ["a)", "unexpected ): `a)`"],
    ["a|*", "missing argument to repetition operator: `*`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["a{2}{3}", "invalid nested repetition operator: `{2}{3}`"],
    ["a{2,1}", "invalid repeat count: `{2,1}`"],
    ["((a{10}){10}){11}", "invalid repeat count: `{11}`"],
    ["\\", "trailing backslash at end of expression: ``"],
  ])("refuses %s", (source, message) => {
    expect(refusal(source)).toBe(`error parsing regexp: ${message}`);
  });

  it("bounds nesting", () => {
    expect(refusal(`${"(".repeat(999)}a${")".repeat(999)}`)).toBe("accepted");
    expect(refusal(`${"(".repeat(1000)}a${")".repeat(1000)}`)).toContain("expression nests too deeply");
    expect(refusal("(a{30}){33}")).toBe("accepted");
  });

  it("replaces with templates", () => {
    expect(compileRegex("a*").replace("baac", "x")).toBe("xbxcx");
    expect(compileRegex("(?P<k>\\w+)=(\\w+)").replace("a=b c=d", "$2:${k} $$1 $1x")).toBe("b:a $1  d:c $1 ");
  });

  it("gives offsets", () => {
    expect(compileRegex("(b)|(c)").exec("abc", 2)).toEqual({ start: 2, end: 3, groups: [[2, 3], null, [2, 3]] });
  });
});
