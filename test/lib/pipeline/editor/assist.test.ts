// Tests the help that the script editor offers, such as completions. In the test scripts, `|` marks the cursor.

import { describe, expect, it, vi } from "vitest";
import { builtinDefinitions } from "../../../../lib/grok/load.ts";
import {
  type AssistFacts,
  completions,
  hover,
  hoverText,
  scriptEnvironment,
} from "../../../../lib/pipeline/editor/assist.ts";
import { functionDocs } from "../../../../lib/pipeline/editor/function-docs.ts";

const facts: AssistFacts = {
  functions: functionDocs(),
  keys: new Map([
    ["message", { kind: "string", isTag: false, sample: "GET /" }],
    ["status code", { kind: "int", isTag: false, sample: "200" }],
    ["in", { kind: "string", isTag: true, sample: "x" }],
  ]),
  scripts: ["other.p"],
  patterns: builtinDefinitions,
};

function at(marked: string): [string, number] {
  const place = marked.indexOf("|");
  return [marked.replace("|", ""), place];
}

function labels(marked: string, kind: string): string[] | null {
  const [script, place] = at(marked);
  const found = completions(script, place, facts);
  return found === null ? null : found.items.filter((item) => item.kind === kind).map(({ label }) => label);
}

describe("completions", () => {
  it("offers functions, keys, variables and keywords", () => {
    const [script, place] = at("n = 1\nfor each in n {}\nad|\nf(named=1)");
    const found = completions(script, place, facts)!;
    expect(found.from).toBe(place - 2);
    const items = found.items;
    expect(items.find(({ label }) => label === "add_key")).toMatchObject({
      kind: "function",
      insert: "add_key(",
      detail: "(key, [value])",
      info: expect.stringMatching(/^Writes a value/),
    });
    expect(items.filter(({ kind }) => kind === "variable").map(({ label }) => label)).toEqual(["n", "each"]);
    expect(items.filter(({ kind }) => kind === "key").map(({ insert }) => insert)).toEqual([
      "message",
      "`status code`",
      "`in`",
    ]);
    const words = items.filter(({ kind }) => kind === "keyword").map(({ label }) => label);
    expect(words).toContain("elif");
    expect(words).not.toContain("while");
  });

  it("offers the parameters of the surrounding call", () => {
    const [script, place] = at("kv_split(_, [1], inc|");
    const found = completions(script, place, facts)!;
    expect(found.items.find(({ label }) => label === "include_keys")).toMatchObject({
      kind: "parameter",
      insert: "include_keys=",
      detail: "list, optional",
    });
    expect(labels("kv_split(_)\nx|", "parameter")).toEqual([]);
  });

  it("offers grok patterns, keys and types, and names of scripts", () => {
    expect(labels('grok(_, "%{IP|', "pattern")).toContain("IPORHOST");
    expect(labels('grok(_, """%{IP:mess|', "key")).toContain("message");
    expect(labels('grok(_, "%{IP:a:|', "type")).toEqual(["string", "int", "float", "bool"]);
    expect(labels('use("|', "script")).toEqual(["other.p"]);
    expect(completions(...at('grok(_, "%{I|'), facts)!.from).toBe(11);
  });

  it("offers nothing in comments, in strings and after a dot", () => {
    for (const marked of ["# add|", 'x = "add|', "a.b|"]) expect(labels(marked, "function")).toBeNull();
    expect(labels("# c\nadd|", "function")).toContain("add_key");
    expect(labels('x = "a" + ad|', "function")).toContain("add_key");
  });
});

function hovered(marked: string): string | null {
  const found = hover(...at(marked), facts);
  return found === null ? null : hoverText(found.subject);
}

describe("hover", () => {
  it("describes functions, parameters, keys and patterns", () => {
    expect(hover(...at("if gr|ok(_, '')"), facts)).toMatchObject({ from: 3, to: 7, subject: { kind: "function" } });
    expect(hovered("if gr|ok(_, '')")).toMatch(/^grok\(input, pattern/);
    expect(hovered("kv_split(_, include_|keys=[])")).toMatch(/^include_keys: list\n/);
    expect(hovered("add_key(|_)")).toBe("message: string\n\nGET /\n");
    expect(hovered('grok(_, "%{IN|T:x}")')).toBe("%{INT}\n\n(?:[+-]?(?:[0-9]+))\n");
    expect(hovered('grok(_, "%{INT:mess|age}")')).toMatch(/^message: string/);
  });

  it("returns nothing for comments, strings, operators and unknown names", () => {
    for (const marked of ["# gr|ok(", "nosu|ch(1)", "x = 1 | + 2", '"gr|ok("']) expect(hovered(marked)).toBeNull();
  });
});

describe("scriptEnvironment", () => {
  it.each(["add_key(`a#b`, ", "add_key(`it's`, ", 'add_key(`a"b`, ', "add_key(`a)b`, ", "add_key(`a#b"])(
    "%s is inside the call, not in a comment or string",
    (before) => {
      expect(scriptEnvironment(before)).toEqual({ inString: null, inComment: false, call: "add_key", afterDot: false });
    },
  );

  it.each([
    ["a1.", true],
    ["v2.fo", true],
    ["x.y.", true],
    ["x[1].", true],
    ["1.", false],
    ["n = 12.5", false],
    ["n = 12.", false],
    ["f(", false],
  ])("%s: after a dot %s", (before, wanted) => {
    expect(scriptEnvironment(before).afterDot).toBe(wanted);
  });

  it("takes steps in proportion to the text before the position", () => {
    const scriptOf = (lines: number) => 'if grok(_, "%{IP:client}") { add_key(abc, "a value") }\n'.repeat(lines);
    const of = (lines: number) => lookedAt(() => scriptEnvironment(scriptOf(lines)));
    expect(of(1000)).toBeGreaterThan(0);
    expect(of(8000)).toBeLessThan(of(1000) * 9);
    // The worst case for showing the help text of the word under the mouse: the whole text is one long word.
    const ofWord = (length: number) => lookedAt(() => hover("a".repeat(length), length, facts));
    expect(ofWord(8000)).toBeLessThan(ofWord(1000) * 9);
  });
});

/** Returns the number of characters in all strings that regular expressions searched during `work`. */
function lookedAt(work: () => unknown): number {
  let characters = 0;
  const exec = RegExp.prototype.exec;
  const spy = vi.spyOn(RegExp.prototype, "exec").mockImplementation(function (this: RegExp, text: string) {
    characters += text.length;
    return exec.call(this, text);
  });
  try {
    work();
  } finally {
    spy.mockRestore();
  }
  return characters;
}
