// Tests the formatter of scripts with every script of the conformance vectors. Formatting must keep the syntax
// tree and the comments, and formatting the result again must change nothing. Also tests examples of the layout.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { format } from "../../../../lib/pipeline/editor/format.ts";
import type { Script } from "../../../../lib/pipeline/syntax/ast.ts";
import { ScriptFailure } from "../../../../lib/pipeline/syntax/errors.ts";
import { lex } from "../../../../lib/pipeline/syntax/lexer.ts";
import { parseScript } from "../../../../lib/pipeline/syntax/parse.ts";
import { Source } from "../../../../lib/pipeline/syntax/source.ts";
import { vectorScripts } from "../vector-scripts.ts";

function parse(text: string): Script | null {
  try {
    return parseScript(new Source("script.p", text));
  } catch (error) {
    if (error instanceof ScriptFailure) return null;
    throw error;
  }
}

/**
 * Returns the syntax tree as a list, without source positions. The function does not recurse, because scripts may be
 * nested deeply.
 */
function shapeOf(script: Script): unknown[] {
  const shape: unknown[] = [];
  const open: unknown[] = [script.statements];
  for (let node = open.pop(); open.length > 0 || node !== undefined; node = open.pop()) {
    if (typeof node !== "object" || node === null) shape.push(Object.is(node, -0) ? "-0" : node);
    else {
      const entries = Object.entries(node).filter(([name]) => name !== "at" && name !== "opAt");
      shape.push(Array.isArray(node) ? entries.length : entries.map(([name]) => name).join());
      for (const [, value] of entries) open.push(value ?? "none");
    }
  }
  return shape;
}

function commentsOf(text: string): string[] {
  const { list } = lex(text);
  const comments: string[] = [];
  let at = 0;
  for (const token of [...list, { at: text.length, end: text.length }]) {
    for (const [comment] of text.slice(at, token.at).matchAll(/#[^\r\n]*/g)) comments.push(comment.trimEnd());
    at = token.end;
  }
  return comments;
}

function formatted(text: string): string {
  const result = format(text);
  if ("error" in result) throw new Error(result.error.error);
  return result.text;
}

/**
 * Formats a script and returns the result. Expects that the result has the same tree and comments, and that formatting
 * it again changes nothing.
 */
function expectKept(text: string): string {
  const once = formatted(text);
  const again = parse(once);
  expect(again, `a script, from ${JSON.stringify(text)}: ${once}`).not.toBeNull();
  expect(shapeOf(again!)).toEqual(shapeOf(parse(text)!));
  expect(commentsOf(once).join(" ")).toBe(commentsOf(text).join(" "));
  expect(formatted(once)).toBe(once);
  return once;
}

const scripts = vectorScripts.filter((text) => parse(text) !== null);

/** Inserts comments before line breaks of the script, after code or on lines of their own. */
function withComments(text: string, choose: (line: number) => number): string {
  let made = "";
  let from = 0;
  for (const [index, { at }] of lex(text)
    .list.filter(({ letter }) => letter === "n")
    .entries()) {
    const kind = choose(index) % 4;
    made += text.slice(from, at) + ["", ` # c${index}`, `\n\n  #c${index}`, ` # c${index}\n# d${index}`][kind]!;
    from = at;
  }
  return made + text.slice(from);
}

/** Inserts or removes blanks between tokens, only at places where blanks have no meaning. */
function withBlanks(text: string, choose: (token: number) => number): string {
  let made = "";
  let from = 0;
  for (const [index, { at }] of lex(text).list.entries()) {
    made += text.slice(from, at) + ["", " ", "\t ", " \r"][choose(index) % 4]!;
    from = at;
  }
  return made + text.slice(from);
}

describe("the formatter", () => {
  it("is tested with more than 900 scripts", () => {
    expect(scripts.length).toBeGreaterThan(900);
  });

  it("keeps the syntax tree and comments of every script, and changes nothing in a second run", () => {
    for (const text of scripts) expectKept(text);
  }, 60_000);

  it("keeps comments at every possible line end", () => {
    const several = scripts.filter((text) => text.includes("\n"));
    fc.assert(
      fc.property(fc.constantFrom(...several), fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }), (text, kinds) => {
        const commented = withComments(text, (line) => kinds[line % kinds.length]!);
        if (parse(commented) !== null) expectKept(commented);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it("ignores the blanks of the input", () => {
    fc.assert(
      fc.property(fc.constantFrom(...scripts), fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }), (text, kinds) => {
        expect(formatted(withBlanks(text, (token) => kinds[token % kinds.length]!))).toBe(formatted(text));
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it("returns the mistake of a script that cannot be parsed", () => {
    expect(format("a = (1\nb", "x.p")).toEqual({
      error: {
        pos_chain: [{ file: "x.p", ln: 2, col: 1, pos: 7 }],
        error: 'unexpected: id "b"',
        at: { file: "x.p", ln: 1, col: 5, pos: 4 },
        hint: "this bracket may not be closed",
      },
    });
  });

  it("formats deeply nested code", () => {
    const deep = `a = ${"(".repeat(5000)}1 # x\n${")".repeat(5000)}`;
    expectKept(deep);
    const blocks = `${"if a {".repeat(3000)}${"}".repeat(3000)}`;
    expect(formatted(blocks).split("\n")).toHaveLength(6000);
  });
});

describe("the formatted layout", () => {
  it.each([
    ["blanks around operators, behind commas", "a=1+b*-2 %c\nf( x ,[1,2 ,3])", "a = 1 + b * -2 % c\nf(x, [1, 2, 3])\n"],
    ["named arguments", "setopt( status_mapping = false )", "setopt(status_mapping=false)\n"],
    [
      "maps, slices, attributes",
      'm={ "a" :1, "b":{}}\nx=a [ 1 : -2 ]\ny = a . b [0] . c',
      'm = {"a": 1, "b": {}}\nx = a[1:-2]\ny = a.b[0].c\n',
    ],
    [
      "keywords in lower case",
      "IF a IN [NULL,True] {} Else {\nBREAK}",
      "if a in [null, true] {} else {\n    break\n}\n",
    ],
    ["a statement per line", "a=1;b=2;;c=3", "a = 1\nb = 2\nc = 3\n"],
    [
      "one empty line of many, none at the ends",
      "\n\na=1\n\n\n\nif a {\n\n b=1\n\n}\n\n",
      "a = 1\n\nif a {\n    b = 1\n}\n",
    ],
    ["nothing", "\n\n\n", "\n"],
    ["no comma at the end", "f(a,)\nx=[1,2,\n]", "f(a)\nx = [1, 2]\n"],
    [
      "loops",
      "for i=0;i<3;i=i+1{continue}\nfor ;;{}\nfor x in y{}",
      "for i = 0; i < 3; i = i + 1 {\n    continue\n}\nfor ;; {}\nfor x in y {}\n",
    ],
    [
      "what is in backticks or quotes stays",
      '`a b`  =  \'x\'+"y"+"""\n z\n"""',
      '`a b` = \'x\' + "y" + """\n z\n"""\n',
    ],
    [
      "comments",
      "a=1# one\n  # two\nif a{ # three\n# four\n}# five",
      "a = 1 # one\n# two\nif a { # three\n    # four\n} # five\n",
    ],
    ["comments in brackets", "x=[1 # one\n,2 # two\n]", "x = [\n    1, # one\n    2 # two\n]\n"],
    ["a comment that a carriage return ends", "if a # one\r{ # two\n}", "if a { # one # two\n}\n"],
    [
      "long calls and lists, one entry per line",
      'f(one_rather_long_name, "a text of some length", [1, 2, 3], another_rather_long_name, "x", 1234567890)',
      'f(\n    one_rather_long_name,\n    "a text of some length",\n    [1, 2, 3],\n    another_rather_long_name,\n    "x",\n    1234567890\n)\n',
    ],
    [
      "long texts, which break nothing",
      `grok(_, "${"x".repeat(80)}", trim_space = true)`,
      `grok(_, "${"x".repeat(80)}", trim_space=true)\n`,
    ],
    [
      "a bracket around one bracket stays with it",
      'f({"one_rather_long_name": "a text of some length", "another_rather_long_name": "another text of some length"})',
      'f({\n    "one_rather_long_name": "a text of some length",\n    "another_rather_long_name": "another text of some length"\n})\n',
    ],
    [
      "long conditions, broken behind operators",
      'if one_rather_long_name == "a text of some length" && another_rather_long_name == "another text of it" || x {\n}',
      'if one_rather_long_name == "a text of some length" &&\n        another_rather_long_name == "another text of it" || x {}\n',
    ],
  ])("%s", (_, text, layout) => {
    expect(expectKept(text)).toBe(layout);
  });
});
