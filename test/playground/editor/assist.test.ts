// Help of the script editor: signatures, quick fixes, patterns that the user defines, and hints when the input looks
// like another wire format.

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../lib/grok/index.ts";
import { diagnose } from "../../../lib/pipeline/index.ts";
import { fixOf } from "../../../playground/src/editor/fixes.ts";
import { openCall } from "../../../playground/src/editor/signature.ts";
import { examples } from "../../../playground/src/state/examples.ts";
import { suggestedForm } from "../../../playground/src/state/form-hint.ts";
import { ownPatterns } from "../../../playground/src/state/script-strings.ts";

describe("the call that is open", () => {
  it.each<[before: string, call: string | null, argument?: number, named?: string]>([
    ["grok(", "grok", 0],
    ['grok(_, "a, b', "grok", 1],
    ['grok(_, "a\\", b", ', "grok", 2],
    ["f(g(1, 2), ", "f", 1],
    ["f(g(1, ", "g", 1],
    ["group_between(code, [200, 299", "group_between", 1],
    ['create_point("m", {"a": 1, "b"', "create_point", 1],
    ["cover(client, range=[1", "cover", 1, "range"],
    ["f(a == ", "f", 0],
    ["f('''a, ' b, ''', ", "f", 1],
    ["f(`a,b`, ", "f", 1],
    ["f(1)\n", null],
    ["# f(", null],
    ["f(1, # g(\n", "f", 1],
    ["if (", null],
    ["x = (1 + ", null],
  ])("after %j is %j", (before, name, argument = 0, named = null as never) => {
    const call = openCall(before);
    expect(call === null ? null : [call.name, call.argument, call.named, before[call.from]]).toEqual(
      name === null ? null : [name, argument, named, "("],
    );
  });
});

describe("a quick fix", () => {
  it.each([
    ["uppercas(client)", "uppercase(client)"],
    ["if a = 1 {\n}", "if a == 1 {\n}"],
    ["if a {\n} else if b {\n}", "if a {\n} elif b {\n}"],
    ["if a & b {\n}", "if a && b {\n}"],
    ['x = 1\ngrok(_, "%{IPV4:a} %{IPORHOTS:b}")', 'x = 1\ngrok(_, "%{IPV4:a} %{IPORHOST:b}")'],
    ['# 😀\nuppercas("😀")', '# 😀\nuppercase("😀")'],
  ])("changes %j as the hint says", (text, wanted) => {
    const [first] = diagnose({ "a.p": text }, { patterns: builtinPatterns });
    const { from, to, message, error } = first!;
    const fix = fixOf(text, from, to, message, error.hint);
    expect(fix === null ? error : text.slice(0, fix.from) + fix.insert + text.slice(fix.to)).toEqual(wanted);
  });

  it.each(["zzzqqq(client)", "uppercase(client", 'grok(_, "%{QQQQQ:a}")'])("does not exist for %j", (text) => {
    const [first] = diagnose({ "a.p": text }, { patterns: builtinPatterns });
    expect(fixOf(text, first!.from, first!.to, first!.message, first!.error.hint)).toBeNull();
  });
});

it("ownPatterns() returns the patterns that the scripts add", () => {
  const text =
    'add_pattern("who", "%{IP:a} \\"x\\"")\nadd_pattern( \'b2\' , \'\\\\d+\')\n# add_pattern("c", "d")\nadd_pattern(name, "e")';
  expect([...ownPatterns([text, 'add_pattern("more", "z")'])]).toEqual([
    ["who", '%{IP:a} "x"'],
    ["b2", "\\d+"],
    ["more", "z"],
  ]);
});

describe("the suggested input form", () => {
  it.each(examples.map(({ id, project }) => [id, project] as const))(
    "is none for the input of the example %s, which is read in the right form",
    (_id, project) => {
      expect(suggestedForm(project.input, project.form)).toBeNull();
    },
  );

  it.each<[text: string, form: Parameters<typeof suggestedForm>[1], suggested: string | null]>([
    ["cpu,host=a load=0.5 1763719200000000000\nmem used=5i,free=2u", "lines", "lp"],
    ['m,t=a\\ b text="a b, c=d",ok=true 1', "lines", "lp"],
    ["user=ada action=login took=5", "lines", null],
    ["a line\nanother one", "lp", "lines"],
    ["a line\nanother one", "json", "lines"],
    ['[{"measurement":"cpu","fields":{"load":0.5}}]', "lines", "json"],
    ['{"name":"cpu","fields":[{"key":"load","f":1}]}', "lp", "json"],
    ['{"level":"info","msg":"started"}', "lines", null],
    ["java.lang.E: x\n\tat a.B(C.java:1)\n\tat a.D(E.java:2)\nnext", "lines", "messages"],
    ["one\ntwo\nthree", "messages", null],
    ["", "lp", null],
    ["  \n\n", "json", null],
  ])("for %j, which is read as %s, is %s", (text, form, suggested) => {
    expect(suggestedForm(text, form)).toBe(suggested);
  });

  it("is computed fast for long lines that almost match", () => {
    const text = `${"a,b=c".repeat(20_000)}\n`.repeat(40);
    expect(suggestedForm(text, "lines")).toBeNull();
  });
});
