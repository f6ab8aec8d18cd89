// The worker of the grok mode: highlighted captures, values, explanations of mismatches, and patterns that the user
// defines. The tests also check how the page inserts a call of `grok` into a script.

import { describe, expect, it } from "vitest";
import { builtinDefinitions, Grok } from "../../../lib/grok/index.ts";
import { createMillrace } from "../../../lib/index.ts";
import { literalOf, statementsFor, withStatements } from "../../../playground/src/modes/grok/script-text.ts";
import { analyse, lineAnswer, rows, stops } from "../../../playground/src/worker/grok/analyse.ts";
import { expansion, library } from "../../../playground/src/worker/grok/library.ts";
import { checkPatterns, importFile, neededPatterns } from "../../../playground/src/worker/grok/own-patterns.ts";
import { patternExamples } from "../../../playground/src/worker/grok/pattern-examples.ts";
import type { Expression } from "../../../playground/src/worker/grok/workbench.ts";

const plain: Expression = { method: "grok", text: "", replacement: "", trim: true, patterns: "" };
const grok = (text: string, more: Partial<Expression> = {}): Expression => ({ ...plain, text, ...more });

/**
 * Returns for each line its highlighted ranges ("marks") as `name=text`: the name of the capture, or `*` for the whole
 * match, and the text of the range.
 */
function marked(expression: Expression, lines: readonly string[]): string[][] {
  const { starts, marks, captures, checked } = analyse(expression, lines);
  return lines.slice(0, checked).map((line, at) => {
    const texts: string[] = [];
    for (let mark = starts[at]!; mark < starts[at + 1]!; mark++) {
      const [from, to, capture] = [marks[3 * mark]!, marks[3 * mark + 1]!, marks[3 * mark + 2]!];
      texts.push(`${capture < 0 ? "*" : captures[capture]!.name}=${line.slice(from, to)}`);
    }
    return texts;
  });
}

describe("the highlighted ranges of lines", () => {
  it("are the whole match and each capture, also after multi-byte characters", () => {
    expect(marked(grok("%{WORD:a} %{INT:b:int}"), ["é x 12 y", "", "no number", "😀 w 7"])).toEqual([
      ["*=x 12", "a=x", "b=12"],
      [],
      [],
      ["*=w 7", "a=w", "b=7"],
    ]);
  });

  it("leave out white space that is trimmed", () => {
    const lines = ["a  b  c"];
    expect(marked(grok("^a(?P<x> .* )c"), lines)).toEqual([["*=a  b  c", "x=b"]]);
    expect(marked(grok("^a(?P<x> .* )c", { trim: false }), lines)).toEqual([["*=a  b  c", "x=  b  "]]);
  });

  it("cover every match in replace, and only the first match in match", () => {
    const lines = ["a=1 b=2"];
    const text = "(\\w)=(?P<n>\\d)";
    expect(marked({ ...plain, method: "match", text }, lines)).toEqual([["*=a=1", "1=a", "n=1"]]);
    expect(marked({ ...plain, method: "replace", text }, lines)).toEqual([
      ["*=a=1", "1=a", "n=1", "*=b=2", "1=b", "n=2"],
    ]);
  });

  it("end at a time limit for slow lines, and the measurement of speed ends, too", () => {
    const begin = performance.now();
    const { checked, nanoseconds } = analyse(grok("(?P<f>.{0,500})*z"), Array(300).fill("a".repeat(1000)));
    expect(checked).toBeGreaterThan(0);
    expect(nanoseconds).toBeGreaterThan(0);
    // The measurement of speed has a time limit. Without this limit, measuring this expression would take minutes.
    expect(performance.now() - begin).toBeLessThan(20_000);
  });

  it("come with the state of each line: matched, unmatched or empty", () => {
    const { matched, unmatched, checked, states, nanoseconds } = analyse(grok("%{INT:n}"), ["1", "x", "", "2"]);
    expect([matched, unmatched, checked, [...states]]).toEqual([2, 1, 4, [1, 0, 2, 1]]);
    expect(nanoseconds).toBeGreaterThan(0);
  });

  it("are none for an expression with an error, and the error has its place", () => {
    const text = "a %{IPP:x} (";
    const { notes, isWrong, checked } = analyse(grok(text), ["a"]);
    expect([isWrong, checked]).toEqual([true, 0]);
    expect(notes.map(({ from, to, hint }) => [text.slice(from, to), hint])).toEqual([["%{IPP:x}", "did you mean IP?"]]);
    const wrong = analyse({ ...plain, method: "match", text: "a[b" }, ["a"]);
    expect(wrong.notes.map(({ message, from, to }) => [message, from, to])).toEqual([
      ["missing closing ]: `[b`", 1, 3],
    ]);
  });
});

describe("the parts of an expression", () => {
  const parts = (expression: Expression) => {
    const { parts: found, captures } = analyse(expression, ["x"]);
    return found.map(({ from, to, captures: own }) => [
      expression.text.slice(from, to),
      own.map((at) => captures[at]!.name).join(),
    ]);
  };

  it("are, in grok, references with a field, patterns with own fields, and named groups", () => {
    const text = String.raw`(?i)\(%{INT:a}\) (?:%{WORD:b.c}|-) [(%{X] (?P<time>%{YEAR}-(%{DAY:day})) %{SYSLOGPROG} %{DATA}`;
    expect(parts(grok(text))).toEqual([
      ["%{INT:a}", "a"],
      ["%{WORD:b.c}", "b_c"],
      ["(?P<time>%{YEAR}-(%{DAY:day}))", "time"],
      ["%{DAY:day}", "day"],
      ["%{SYSLOGPROG}", "program,pid"],
    ]);
  });

  it("are, in a regular expression, its groups", () => {
    const text = String.raw`(?i)\((a(?:b|(?P<c>c)))[(]\Q(\E(?-i:d)(e)`;
    expect(parts({ ...plain, method: "match", text })).toEqual([
      ["(a(?:b|(?P<c>c)))", "1"],
      ["(?P<c>c)", "c"],
      ["(e)", "3"],
    ]);
  });
});

describe("a line", () => {
  it("has the values of its captures with their kinds", () => {
    const { values, matched, why } = lineAnswer(grok("%{WORD:a} %{INT:b:int}(?: %{NUMBER:c:float})?"), "x 012 y")!;
    expect([matched, why]).toEqual([true, null]);
    expect(values).toEqual([
      { text: "x", kind: "str" },
      { text: "10", kind: "int" },
      { text: "0", kind: "float" },
    ]);
    const groups = lineAnswer({ ...plain, method: "match", text: "(a)|(b)" }, "b")!;
    expect(groups.values).toEqual([
      { text: null, kind: "" },
      { text: "b", kind: "str" },
    ]);
  });

  it("that does not match has the place, the failed element, and changes that make it match", () => {
    const expression = grok("^%{INT:status:int} %{INT:bytes:int}$");
    const { matched, why } = lineAnswer(expression, "200 -")!;
    expect(matched).toBe(false);
    expect(why).toMatchObject({ matched: [0, 4], at: 4, found: "-", source: "%{INT:bytes:int}", field: "bytes" });
    expect(expression.text.slice(...why!.failed)).toBe("%{INT:bytes:int}");
    expect(why!.changes[0]!.expression).toBe("^%{INT:status:int} (?:%{INT:bytes:int}|-)$");
    expect(lineAnswer({ ...plain, method: "match", text: "^a\\d+$" }, "ax")!.why).toMatchObject({ at: 1, found: "x" });
  });

  it("is shown after the replacement, with the template syntax of scripts", () => {
    const expression: Expression = { ...plain, method: "replace", text: "(\\d{2})(\\d+)", replacement: "${1}**" };
    expect(lineAnswer(expression, "a 1234 b 567")!.replaced).toBe("a 12** b 56**");
    expect(rows(expression, ["x 99999", "y"], [3, 4])).toMatchObject([
      { line: 3, replaced: "x 99**" },
      { line: 4, replaced: "y", values: [] },
    ]);
  });

  it("that does not match has the position where the match stopped", () => {
    expect(stops(grok("^%{WORD:a}=%{INT:b}$"), ["ab=x", "1"], [7, 9])).toEqual([
      { line: 7, matched: [0, 3], at: 3 },
      { line: 9, matched: [0, 1], at: 1 },
    ]);
  });
});

describe("patterns that the user defines", () => {
  const text = "# cars\nPLATE [A-Z]+-\\d+\nBAD x(y\n  CAR %{PLATE:plate} %{NOPE}\nIP x\nPLATE z\na/b c\nLONE\n";

  it("are checked line by line, each error at its place", () => {
    const { names, notes } = checkPatterns(text);
    expect(names).toEqual(["PLATE", "BAD", "CAR", "IP"]);
    expect(notes.map(({ severity, message, from, to }) => [severity, text.slice(from, to), message])).toEqual([
      ["error", "(", "missing closing ): `(y`"],
      ["error", "%{NOPE}", "no pattern found for %{NOPE}"],
      ["warning", "IP", "IP hides the built-in pattern"],
      ["warning", "PLATE", "PLATE is defined above; this line does not count"],
      ["error", "a/b", "a name has letters, digits and _, with . or - between them"],
      ["error", "LONE", "LONE has no definition"],
    ]);
  });

  it("work in the expression, and an error in a pattern is reported at its reference", () => {
    const patterns = "PLATE [A-Z]+-\\d+\nBAD x(y\n";
    expect(marked(grok("%{PLATE:p}", { patterns }), ["car AB-12"])).toEqual([["*=AB-12", "p=AB-12"]]);
    const [note] = analyse(grok("a %{BAD:b}", { patterns }), ["a"]).notes;
    expect([note!.from, note!.to, note!.message]).toEqual([2, 10, "the pattern BAD cannot be used: missing closing )"]);
  });

  it("are translated from Logstash files, and unsupported patterns become comments", () => {
    const file = [
      "# web",
      "ID (?<![0-9])[a-z]++\\h",
      "LOOK (?=x)y",
      "WHO %{IP:[source][address]} (?<[user][name]>\\w+) %{INT:[http][bytes]:int}",
      "",
    ].join("\n");
    const { text: imported, count, problems } = importFile("web server.grok", file);
    expect(imported).toBe(
      [
        "# from web server.grok",
        "# ID (?<![0-9])[a-z]++\\h",
        "# LOOK (?=x)y",
        "WHO %{IP:source.address} (?<user_name>\\w+) %{INT:http.bytes:int}",
        "",
      ].join("\n"),
    );
    expect(count).toBe(1);
    expect(problems).toMatchObject([
      { line: 2, name: "ID", reason: expect.stringContaining("lookbehind is not supported") },
      { line: 3, name: "LOOK", reason: expect.stringContaining("lookahead is not supported") },
    ]);
    const fields = analyse(grok("%{WHO}", { patterns: imported }), ["10.0.0.7 ada 12"]).captures;
    expect(fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
      "source_address string",
      "user_name string",
      "http_bytes int",
    ]);
  });

  it("needed by an expression are returned in the order in which a script must define them", () => {
    const patterns = "A %{B:b}x\nUNUSED y\nB %{C}\nC \\d+\n";
    expect(neededPatterns("%{A} %{IP}", patterns).map(({ name }) => name)).toEqual(["C", "B", "A"]);
  });
});

describe("the library", () => {
  it("has an example of each built-in pattern, which the pattern matches as a whole", () => {
    const wrong = [...builtinDefinitions.keys()].filter((name) => {
      const example = patternExamples[name];
      return example === undefined || Grok.compile(`^(?P<whole>%{${name}})$`).match(example) === null;
    });
    expect(wrong).toEqual([]);
  });

  it("lists own patterns first, and expands them", () => {
    const patterns = "PLATE [A-Z]+\nCAR %{PLATE:plate}x\nINT own\n";
    const all = library(patterns);
    expect(all.slice(0, 4).map(({ name, isOwn }) => [name, isOwn])).toEqual([
      ["PLATE", true],
      ["CAR", true],
      ["INT", true],
      ["USERNAME", false],
    ]);
    expect(all.filter(({ name }) => name === "INT").length).toBe(1);
    expect(all.find(({ name }) => name === "CAR")?.fields).toEqual(["plate"]);
    expect(expansion("CAR", patterns)).toBe("(?P<plate>[A-Z]+)x");
    expect(expansion("X", "X %{X}")).toBe("");
  });
});

describe("a call in a script", () => {
  const texts = ["plain", 'a "b"', "a 'b'", "\\d+", '"\\d"', '\'"\\d"', "'''\\\"\"\"", "a\nb", "\\", ""];

  it.each(texts)("keeps the text %j unchanged", async (text) => {
    const mill = await createMillrace();
    const { fields } = mill.script(`add_key(x, ${literalOf(text)})`).run({ message: "m" });
    expect(fields.x).toBe(text);
  });

  it("extracts the same values in a run as the mode shows", async () => {
    const mill = await createMillrace();
    const patterns = `Q "[a-z']+"\nPAIR %{Q:q} is \\d+\n`;
    const expression = grok(String.raw`^%{PAIR} \[%{INT:n:int}\]`, { patterns });
    const statements = statementsFor(expression, neededPatterns(expression.text, patterns), "");
    const { fields } = mill.script(withStatements("", statements).text).run({ message: `"it's" is 12 [7]` });
    expect([fields.q, fields.n]).toEqual([`"it's"`, 7n]);
    expect(lineAnswer(expression, `"it's" is 12 [7]`)!.values.map(({ text }) => text)).toEqual([`"it's"`, "7"]);
  });

  it("is inserted after the leading comments and patterns, with only the patterns that are missing", () => {
    const script = '# nginx\nadd_pattern("A", "x")\n\n# the rest\nadd_key(b, 1)\n';
    const needed = [
      { name: "A", definition: "x" },
      { name: "B", definition: "y" },
    ];
    const statements = statementsFor(grok("%{A:a}%{B:b}", { trim: false }), needed, script);
    expect(withStatements(script, statements)).toEqual({
      text: '# nginx\nadd_pattern("A", "x")\nadd_pattern("B", "y")\ngrok(_, "%{A:a}%{B:b}", false)\n\n# the rest\nadd_key(b, 1)\n',
      line: 4,
    });
    expect(withStatements("", ["a()", "b()"])).toEqual({ text: "a()\nb()\n", line: 2 });
    expect(withStatements("# only\n", ["a()"])).toEqual({ text: "# only\n\na()\n", line: 3 });
    expect(withStatements("# of x\nx()", ["a()"])).toEqual({ text: "a()\n# of x\nx()", line: 1 });
  });

  it("of match and replace has the arguments of these functions", () => {
    expect(statementsFor({ ...plain, method: "match", text: "a" }, [], "")).toEqual(['if match("a", _) {', "}"]);
    expect(statementsFor({ ...plain, method: "replace", text: "a\\d", replacement: "$1" }, [], "")).toEqual([
      'replace(_, """a\\d""", "$1")',
    ]);
  });
});
