// Pattern files in the syntax of Logstash: which constructs are translated, where the meaning differs, and which are
// refused. The expected captures of Logstash were made with Ruby, whose engine is the successor of Oniguruma.

import { describe, expect, it } from "vitest";
import { expand } from "../../../lib/grok/expand.ts";
import { Grok } from "../../../lib/grok/grok.ts";
import { ignoredFieldsTexts, loadPatternFiles, patternProblemText } from "../../../lib/grok/load.ts";
import { fromLogstash } from "../../../lib/grok/logstash.ts";
import { PatternScope } from "../../../lib/grok/patterns.ts";
import { compile } from "../../../lib/regex/compile.ts";
import { KernelEngine } from "../../../lib/regex/engines/kernel-engine.ts";
import type { EngineMaker } from "../../../lib/regex/regex.ts";
import { loadModule } from "../wasm/load.ts";
import coreText from "./logstash-core/legacy.grok?raw";

const module = await loadModule();
const inModule: EngineMaker = (parsed, captures) => new KernelEngine(compile(parsed, captures), module);
const core = loadPatternFiles({ "core.grok": coreText }).patterns;

/** Matches a text with a pattern definition and returns the captured text. */
function capture(definition: string, text: string): unknown {
  const { patterns, problems } = loadPatternFiles({ "x.grok": `X ${definition}` });
  expect(problems).toEqual([]);
  return Grok.compile("%{X:it}", { patterns }).match(text, { trim: false })?.it ?? null;
}

describe("a definition of Logstash", () => {
  it.each<[definition: string, text: string, captured: string]>([
    [String.raw`(?>\d\d){1,2}`, "202", "20"],
    [String.raw`[a-z]++-\d`, "ab-1", "ab-1"],
    ["a?+b*+c", "abbc", "abbc"],
    ["a{1,2}+b", "aaaab", "aaaab"],
    ["x?*y", "xxy", "xxy"],
    ["(?:x(?#note))?*y", "xxy", "xxy"],
    ["(?:ab?)*+*c", "aabc", "aabc"],
    ["a{,2}b", "aab", "aab"],
    [String.raw`\h{2}\H`, "z1fz", "1fz"],
    [String.raw`[\h-]+`, "1f-", "1f-"],
    ["[a[bc]]+", "abc", "abc"],
    ["[[[:alnum:]]_]+", "Č_中!", "Č_中"],
    [String.raw`[[,-]+|\\.]+`, ",+|\\.-", ",+|\\.-"],
    ["[a-[c]]+", "a-cb", "a-c"],
    ["[[:upper:]]+", "ÄBc", "ÄB"],
    ["[[]+", "[[", "[["],
    ["^b$", "a\nb\nc", "b"],
    ["a.b", "a\nb", "a\nb"],
    ["(?m)a.b", "a\nb", "a\nb"],
    ["(?m-i:a.b)", "a\nb", "a\nb"],
    ["(?i)ab", "AB", "AB"],
    ["(?i-m:a)B", "AB", "AB"],
    [String.raw`\u00e4`, "ä", "ä"],
    [String.raw`\e\[`, "\x1b[", "\x1b["],
    ["(?#note)a", "a", "a"],
    ["a{b", "a{b", "a{b"],
    ["😀+", "😀😀", "😀😀"],
    ["%{INT:n ignored}", "12", "12"],
    ["100%", "100%", "100%"],
  ])("%s captures the same text of %j as in Logstash", (definition, text, captured) => {
    expect(capture(definition, text)).toBe(captured);
  });

  it.each<[definition: string, text: string, logstash: string | null, here: string | null]>([
    // In Logstash, atomic groups and possessive repetitions do not backtrack.
    ["(?>a|ab)c", "abc", null, "abc"],
    [String.raw`(?>\d+)5`, "125", null, "125"],
    [String.raw`\d++5`, "125", null, "125"],
    ["a?+a", "a", null, "a"],
    // Millrace translates `(?<![0-9])` and `(?![0-9])` to word boundaries. So in Millrace, not only a digit but also
    // a letter next to the digits prevents a match.
    ["(?<![0-9])[0-9]{2}(?![0-9])", "a12b", "12", null],
    ["(?<![0-9])[0-9]{2}(?![0-9])", "(12)", "12", "12"],
    [String.raw`(?<!\d)(?:\d\d)(?!\d)`, "123", null, null],
    // In Millrace, the match of `\Z` includes the line break at the end of the text; in Logstash it does not.
    [String.raw`b\Z`, "ab\n", "b", "b\n"],
  ])("%s on %j captures %j in Logstash and %j here", (definition, text, _, here) => {
    expect(capture(definition, text)).toBe(here);
  });

  it.each<[expression: string, text: string, logstash: string | null, here: string | null]>([
    ["%{NUMBER:it}%{NUMBER}", "12", null, "1"],
    ["-%{NUMBER:it}", "--5", null, "-5"],
    [String.raw`%{NUMBER}\.%{NUMBER:it}`, "1.5.2", null, "2"],
    ["%{BASE16NUM:it}", "zz0x1F", "0x1F", "0x1F"],
    ["a%{BASE16NUM:it}", "a1", null, "1"],
    ["%{BASE16FLOAT:it}", ".1F", null, "1F"],
    ["%{BASE16FLOAT:it}", "0x1F.8", "0x1F.8", "0x1F.8"],
    ["%{IPV4:it}", "10.0.0.256", null, null],
    ["%{IPV4:it}", "1234.5.6.7", null, null],
    ["%{IPV4:it}", "v10.0.0.1", "10.0.0.1", null],
    ["%{TIME:it}", "12:00:60", "12:00:60", "12:00:60"],
    ["%{TIME:it}", "12:00:001", null, "12:00:00"],
    ["%{HAPROXYTIME:it}", "12:00:01.5s", "12:00:01.5", "12:00:01"],
    ["%{QS:it}", String.raw`\"ab" "c"`, '" "', '"ab"'],
    ["%{QS:it}", String.raw`say "a \"b\" c" end`, String.raw`"a \"b\" c"`, String.raw`"a \"b\" c"`],
    ["%{WINPATH:it}", String.raw`C:\a b`, String.raw`C:\a b`, String.raw`C:\a b`],
    ["%{UNIXPATH:it}", "/opt/Čierný/.中", "/opt/Čierný/.中", "/opt/Čierný/.中"],
  ])("of the core patterns: %s on %j captures %j in Logstash and %j here", (expression, text, _, here) => {
    expect(Grok.compile(expression, { patterns: core }).match(text, { trim: false })?.it ?? null).toBe(here);
  });

  it.each<[definition: string, reason: string]>([
    ["a(?<=b)c", "lookbehind is not supported: `(?<=b)c`"],
    ["(?<!a)b", "lookbehind is not supported: `(?<!a)b`"],
    ["(?<![0-9])a", "lookbehind is not supported: `(?<![0-9])a`"],
    ["(?<![0-9])[0-9]?a", "lookbehind is not supported: `(?<![0-9])[0-9]?a`"],
    ["(?<![0-9])(?:[0-9]|a)", "lookbehind is not supported: `(?<![0-9])(?:[0-9]|a)`"],
    ["a(?=b)", "lookahead is not supported: `(?=b)`"],
    ["a(?![0-9])", "lookahead is not supported: `(?![0-9])`"],
    [String.raw`(a)\1`, "backreference is not supported: `\\1`"],
    [String.raw`(?<a>b)\k<a>`, "backreference is not supported: `\\k<a>`"],
    [String.raw`\R`, "escape is not supported: `\\R`"],
    [String.raw`\u12`, "escape is not supported: `\\u12`"],
    [String.raw`[\H]`, "escape is not supported: `\\H]`"],
    ["(?(1)a|b)", "condition is not supported: `(?(1)a|b)`"],
    ["(?~a)", "absent operator is not supported: `(?~a)`"],
    ["(?x) a", "flag x, expressions with blanks and comments, is not supported: `(?x) a`"],
    ["[a-z&&[^b]]", "intersection of classes is not supported: `&&[^b]]`"],
    ["[a[^b]]", "negated class inside of a class is not supported: `[^b]]`"],
    ["%{INT:n=[0-9]}", "definition inside of a reference is not supported: `%{INT:n=[0-9]}`"],
    ["%{INT=[0-9]}", "definition inside of a reference is not supported: `%{INT=[0-9]}`"],
  ])("%s is refused", (definition, reason) => {
    const { problems } = loadPatternFiles({ "x.grok": `\n# note\nX ${definition}` });
    expect(problems).toEqual([{ file: "x.grok", line: 3, name: "X", reason }]);
  });

  it("stays unchanged when RE2 reads it in the same way", () => {
    for (const text of ["[+-]?(?:[0-9]+)", String.raw`(?P<a>\bx\b)(?:%{INT:b}|-)`, String.raw`\d{2}[\]\\^-]*?`])
      expect(fromLogstash(text)).toBe(text);
  });
});

describe("loadPatternFiles", () => {
  it("drops invalid definitions and reports file and line, on one line of at most about 1 KB", () => {
    const { patterns, problems } = loadPatternFiles({
      "b.grok": "GOOD %{WORD:w}\r\n\tUSES  %{BAD}\n# X y\n\nalone\n",
      "a.grok": `BAD (?=\u001b[1m)\nLOOP %{LOOP}\nOPEN (${"x".repeat(5000)}`,
    });
    expect(problems.map(({ file, line, name }) => `${file}:${line} ${name}`)).toEqual([
      "b.grok:2 USES",
      "a.grok:1 BAD",
      "a.grok:2 LOOP",
      "a.grok:3 OPEN",
    ]);
    const [uses, bad, loop, open] = problems.map(patternProblemText);
    expect(uses).toBe("b.grok:2: pattern USES: no pattern found for %{BAD}");
    expect(bad).toBe("a.grok:1: pattern BAD: lookahead is not supported: `(?=\\x1b[1m)`");
    expect(loop).toBe("a.grok:2: pattern LOOP: circular dependency: pattern LOOP -> LOOP");
    expect(open!.length).toBeLessThan(1200);
    expect(Grok.compile("%{GOOD}", { patterns }).match("a")).toEqual({ w: "a" });
  });

  it("refuses definitions that are nested too deep for the call stack", () => {
    const circle = Array.from({ length: 510 }, (_, i) => `C${i} %{C${(i + 1) % 510}}`).join("\n");
    expect(loadPatternFiles({ "a.grok": circle }).problems).toHaveLength(510);
    const chain = Array.from({ length: 1500 }, (_, i) => `A${i} ${i === 1499 ? "x" : `%{A${i + 1}:[a][b]}`}`).join(
      "\n",
    );
    const { patterns, problems } = loadPatternFiles({ "a.grok": chain }, { ecs: true });
    expect(problems[0]!.reason).toBe("references nest more than 500 deep");
    expect(problems).toHaveLength(1000);
    expect(Grok.compile("%{A1490}", { patterns }).match("x")).toEqual({ "a.b": "x" });
    for (const text of ["[".repeat(100_000), `${"[[a".repeat(3000)}${"]".repeat(6000)}`])
      expect(loadPatternFiles({ "a.grok": `X ${text}` }).problems[0]!.reason).toMatch(
        /^class inside of more than 50 others/,
      );
    for (const text of ["(".repeat(100_000), `a${"+*".repeat(20_000)}`])
      expect(loadPatternFiles({ "a.grok": `X ${text}` }).problems[0]!.reason).toMatch(/^error parsing regexp/);
  });

  it("refuses names that no reference can contain, and accepts names with a dash", () => {
    const text = "A]B x\nÄ y\nMY-PAT [0-9]+\nUSES %{MY-PAT:n}";
    const { patterns, problems } = loadPatternFiles({ "a.grok": text });
    const reason = "a name has letters, digits and _, with . or - between them";
    expect(problems.map(patternProblemText)).toEqual([
      `a.grok:1: pattern A]B: ${reason}`,
      `a.grok:2: pattern Ä: ${reason}`,
    ]);
    expect(Grok.compile("%{USES}", { patterns }).match("12")).toEqual({ n: "12" });
  });

  it("accepts a byte order mark and Windows line endings", () => {
    const { patterns, problems } = loadPatternFiles({ "a.grok": "\uFEFFA [0-9]+\r\n# note\r\n\r\nB [a-z]+\r\n" });
    expect(problems).toEqual([]);
    expect(Grok.compile("^%{A:a} %{B:b}$", { patterns }).match("12 ab")).toEqual({ a: "12", b: "ab" });
  });

  it.each([
    ["(?<", 500_000, ["name of a group without > is not supported"]],
    ["(?#", 500_000, ["comment without ) is not supported"]],
    ["[0-9](?![0-9])", 100_000, []],
    ["a**", 400_000, []],
  ])("reads %j repeated to about 2 MB in linear time", (part, times, reasons) => {
    // If the time of the translation grew with the square of the pattern's length, this test would take minutes.
    const { problems } = loadPatternFiles({ "a.grok": `X ${part.repeat(times)}` });
    expect(problems.map(({ reason }) => reason.split(":")[0])).toEqual(reasons);
  });

  it("counts the definitions with ECS names in each file when the option ecs is off", () => {
    const files = { "a.grok": "A %{INT:[a][b]}\nB x\nC %{A} %{INT:[c]:int}", "b.grok": "D %{INT:d}" };
    expect(ignoredFieldsTexts(loadPatternFiles(files))).toEqual([
      "a.grok: 2 definitions name fields as [source][address]; without --ecs (pipeline.ecs_patterns of the agent) that is plain text",
    ]);
    expect(ignoredFieldsTexts(loadPatternFiles(files, { ecs: true }))).toEqual([]);
  });

  it("prefers names from files to built-in names, and the last of equal names", () => {
    const { patterns } = loadPatternFiles({ "a.grok": "WORD x\nMINE a", "b.grok": "MINE %{WORD}" });
    expect(Grok.compile("%{MINE:m}", { patterns }).match("yx")).toEqual({ m: "x" });
  });
});

describe("names of the Elastic Common Schema", () => {
  const { patterns } = loadPatternFiles(
    { "ecs.grok": "HOST_AND_CODE %{IPORHOST:[source][address]} %{INT:[http][response][status_code]:int}" },
    { ecs: true },
  );

  it.each<[expression: string, text: string, fields: Record<string, unknown>]>([
    ["%{HOST_AND_CODE}", "db1 200", { "source.address": "db1", "http.response.status_code": 200 }],
    ["%{INT:[a][b]:float}-%{INT:[c]}", "1-2", { "a.b": 1, c: "2" }],
    ["(?<[a][b_c]>[a-z]+) (?P<[d][e]>.)", "ab c", { "a.b_c": "ab", "d.e": "c" }],
    ["%{WORD:[a][b]} %{WORD:[a][b]}", "x y", { "a.b": "y" }],
    ["(?:%{INT:[a]:int}|%{WORD:a})", "x", { a: 0 }],
    ["%{WORD:[@metadata][a-b]}", "x", { "@metadata.a-b": "x" }],
    ["%{WORD:plain} %{INT:n:int}", "x 1", { plain: "x", n: 1 }],
    ["%{WORD:[a]b}", "%{WORD:ab}", {}],
  ])("%s on %j", (expression, text, fields) => {
    for (const engine of [{}, { engine: inModule }]) {
      const grok = Grok.compile(expression, { patterns, ...engine });
      expect(grok.match(text)).toEqual(fields);
      expect(grok.fields.map(({ name }) => name)).toEqual(Object.keys(fields));
      expect(new Set(grok.captureGroups().map(({ field }) => field)).size).toBe(Object.keys(fields).length);
      grok.free();
    }
  });

  it("are plain text when the option ecs is off", () => {
    const legacy = loadPatternFiles({}).patterns;
    expect(Grok.compile("%{INT:[a][b]}", { patterns: legacy }).match("12")).toBeNull();
    expect(() => Grok.compile("(?<[a][b]>x)", { patterns: legacy })).toThrow("invalid named capture");
  });

  it("add no work to an expression without such names", () => {
    expect(expand("%{INT:a} %{WORD}", patterns).fieldNames).toBeUndefined();
  });

  it("are also read in definitions of a script", () => {
    const scope = new PatternScope(null, patterns).child();
    scope.define("PAIR", expand("%{WORD:[k][v]}", scope));
    expect(Grok.compile("%{PAIR}", { patterns: scope }).match("x")).toEqual({ "k.v": "x" });
  });

  it("appear in explanations of a mismatch", () => {
    const { message, expected } = Grok.compile("%{HOST_AND_CODE}", { patterns }).explain("db1 x");
    expect(expected[0]!.field).toBe("http.response.status_code");
    expect(message).toContain("for http.response.status_code in %{HOST_AND_CODE} > %{INT}");
  });

  it("do not shift the position of a mistake after them", () => {
    expect(() => expand("(?<[a][b]>x)%{NOPE}", patterns)).toThrowError(expect.objectContaining({ offset: 12 }));
  });
});
