// Grok expressions that are suggested for sample lines. The samples in shapes.txt are whole log formats; the table
// `small` has a short sample for each rule by which the expressions are made.

import { describe, expect, it } from "vitest";
import { Grok } from "../../../../lib/grok/grok.ts";
import { changePiece, type Suggestion, suggestGrok, suggestLimits } from "../../../../lib/grok/suggest/suggest.ts";
import shapesText from "./shapes.txt?raw";

interface Shape {
  readonly name: string;
  readonly fields: readonly { readonly text: string; readonly kind: string; readonly name: string }[];
  readonly lines: readonly string[];
}

const shapes: readonly Shape[] = shapesText
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [name = "", ...rows] = section.trimEnd().split("\n");
    const fields = rows.flatMap((row) => {
      const [, text = "", kind = "", field = ""] = /^> (.*) \| (\w+) \| (\w*)$/.exec(row) ?? [];
      return kind === "" ? [] : [{ text, kind, name: field }];
    });
    return { name, fields, lines: rows.filter((row) => !row.startsWith("> ")) };
  });

interface Row {
  readonly name: string;
  readonly lines: number;
  readonly matched: number;
  readonly wrongKinds: readonly string[];
  readonly wrongNames: readonly string[];
  readonly fields: number;
  readonly heldOut: string;
  readonly expression: string;
}

/**
 * Returns the first piece (a literal or reference of the suggested expression) that captures `text` in `line`, the
 * first sample line. Skips pieces whose captured text begins before the index `from`.
 */
function pieceOf({ pieces }: Suggestion, line: string, text: string, from: number) {
  return pieces.find(
    ({ name, spans: [span] }) => name !== null && span && span[0] >= from && line.slice(...span) === text,
  );
}

function rowOf({ name, fields, lines }: Shape): Row {
  const suggestion = suggestGrok(lines);
  const [first = ""] = lines;
  const [wrongKinds, wrongNames]: [string[], string[]] = [[], []];
  let from = 0;
  for (const field of fields) {
    const piece = pieceOf(suggestion, first, field.text, from);
    const kind = piece?.choices[piece.choice]?.kind ?? "none";
    from = piece?.spans[0]?.[1] ?? from;
    if (kind !== field.kind) wrongKinds.push(`${field.text}: ${kind}, not ${field.kind}`);
    if (field.name !== "" && piece?.name !== field.name) wrongNames.push(`${piece?.name}, not ${field.name}`);
  }
  // Makes an expression from the first three lines, and counts how many of the remaining lines this expression
  // matches.
  const early = Grok.compile(suggestGrok(lines.slice(0, 3)).expression);
  const unseen = lines.slice(3);
  return {
    name,
    lines: lines.length,
    matched: lines.length - suggestion.unmatched.length,
    wrongKinds,
    wrongNames,
    fields: fields.length,
    heldOut: `${unseen.filter((line) => early.match(line) !== null).length}/${unseen.length}`,
    expression: suggestion.expression,
  };
}

describe("suggestGrok", () => {
  it("matches all lines of all samples, and finds the kinds of the main fields", () => {
    const rows = shapes.map(rowOf);
    const shown = rows.map(({ name, lines, matched, fields, wrongKinds, wrongNames, heldOut }) =>
      [
        name.padEnd(15),
        `lines ${matched}/${lines}`,
        `kinds ${fields - wrongKinds.length}/${fields}`,
        `names ${fields - wrongNames.length}/${fields}`,
        `unseen ${heldOut}`,
        [...wrongKinds, ...wrongNames].join("; "),
      ].join("  "),
    );
    console.info(shown.join("\n"));
    expect(rows.length).toBeGreaterThanOrEqual(20);
    expect(rows.filter(({ lines, matched }) => matched < lines)).toEqual([]);
    expect(rows.filter(({ wrongKinds }) => wrongKinds.length === 0).length, shown.join("\n")).toBeGreaterThanOrEqual(
      22,
    );
    // An expression that captures the whole line as one text would match every line. So each expression must have at
    // least three references.
    expect(rows.filter(({ expression }) => expression.split("%{").length < 4)).toEqual([]);
  });
});

/** One small sample for each rule of the suggestions: the rule, the sample lines, and the suggested expression. */
const small: readonly (readonly [why: string, lines: readonly string[], expression: string])[] = [
  [
    "takes numbers and an address",
    ["10.0.0.7 took 12 ms", "10.0.0.8 took 7 ms"],
    "^%{IP:client} took %{INT:duration:int} ms$",
  ],
  ["makes int and float a number", ["a=1 b", "a=2.5 b"], "^a=%{NUMBER:a:float} b$"],
  ["makes address and host one kind", ["host=10.0.0.1", "host=db.example.com"], "^host=%{IPORHOST:host}$"],
  ["takes IPv6", ["client 2001:db8::1", "client ::1"], "^client %{IP:client}$"],
  ["allows - for a missing value", ["bytes=12", "bytes=-"], "^bytes=(?:%{INT:bytes:int}|-)$"],
  ["allows an empty value", ["in=eth0 out=", "in=eth1 out=eth0"], "^in=%{WORD:in} out=(?:%{WORD:out})?$"],
  ["makes a pair optional", ["a=1 b=x", "a=2", "a=3 b=y"], "^a=%{INT:a:int}(?: b=%{WORD:b})?$"],
  ["allows more than one space", ["INFO  up", "ERROR up"], "^%{LOGLEVEL:level} +up$"],
  [
    "takes two layouts of a date",
    ["at=2026-11-05T10:00:00Z", "at=05/Nov/2026:10:00:00 +0000"],
    "^at=(?P<at>%{TIMESTAMP_ISO8601}|%{HTTPDATE})$",
  ],
  ["takes a UUID", ["id 3f0c8b1e-6a52-4d7c-9d0f-1b2a3c4d5e6f"], "^%{WORD:word} %{UUID:id}$"],
  ["numbers equal names", ["1 2", "3 4", "5 6"], "^%{INT:number:int} %{INT:number_2:int}$"],
  ["keeps a leading 0, which an int would read as octal", ["code=007", "code=012"], "^code=%{INT:code}$"],
  ["keeps a number of many digits as text", ["n=12345678901234567890", "n=1"], "^n=%{INT:n}$"],
  [
    "escapes signs",
    ["(a) [x] a+b? 2$", "(a) [y] a+b? 3$"],
    "^\\(a\\) \\[%{DATA:text}\\] a\\+b\\? %{INT:number:int}\\$$",
  ],
  ["takes one line of prose as a message", ["the quick brown fox jumps"], "^%{GREEDYDATA:message}$"],
  [
    "takes a line with line breaks",
    ["a=1 at x\n  at y", "a=2 at z\n  at w"],
    "^a=%{INT:a:int} at %{WORD:word}\n  at %{WORD:word_2}$",
  ],
];

describe("a suggestion", () => {
  it.each(small)("%s", (_, lines, expression) => {
    const suggestion = suggestGrok(lines);
    expect(suggestion.expression).toBe(expression);
    expect(suggestion.unmatched).toEqual([]);
  });

  it("returns the position of each piece in each line", () => {
    const lines = ["GET /a 200", "POST /b/c 404"];
    const { pieces } = suggestGrok(lines);
    const texts = (line: number) => pieces.map(({ spans }) => lines[line]?.slice(...(spans[line] ?? [0, 0])));
    expect(texts(0)).toEqual(["GET", " ", "/a", " ", "200"]);
    expect(texts(1)).toEqual(["POST", " ", "/b/c", " ", "404"]);
    expect(pieces.map(({ name }) => name)).toEqual(["method", null, "path", null, "status"]);
  });

  it("leaves out empty lines and lists them as unmatched", () => {
    expect(suggestGrok(["a=1", "", "a=2"]).unmatched).toEqual([1]);
    expect(() => suggestGrok(["", " "])).toThrow("suggestGrok: lines must hold a line with text; got 2 without any");
  });

  it("never leaves out a line with text, however different the lines are", () => {
    const lines = shapes.flatMap(({ lines: own }) => own);
    expect(suggestGrok(lines).unmatched).toEqual([]);
    expect(suggestGrok(["\u0000\ud800 x", "%{INT:a} (?P<b>", "é".repeat(50)]).unmatched).toEqual([]);
  });

  it("reads a limited number of lines, and a limited part of each line", () => {
    const { lines } = suggestGrok(Array.from({ length: suggestLimits.lines + 5 }, (_, at) => `n=${at}`));
    expect(lines).toBe(suggestLimits.lines);
    const long = suggestGrok(["a=1 ", "a=2 "].map((start) => start + "word, (and) ".repeat(5000)));
    expect(long.unmatched).toEqual([]);
    expect(long.expression.startsWith("^a=%{INT:a:int}")).toBe(true);
  });

  it("respects a pattern of the caller that replaces a built-in pattern", () => {
    // The caller's pattern INT matches only "x", so the suggestion uses NUMBER, the next pattern that fits.
    expect(suggestGrok(["n=1", "n=2"], { patterns: { INT: "x" } }).expression).toBe("^n=%{NUMBER:n:float}$");
  });
});

describe("changePiece", () => {
  const lines = ["10.0.0.1 GET 200", "10.0.0.2 POST 404"];
  const { pieces } = suggestGrok(lines);
  const at = (name: string) => pieces.findIndex((piece) => piece.name === name);
  const choiceAt = (piece: number, kind: string) => pieces[piece]!.choices.findIndex((choice) => choice.kind === kind);

  it("changes the kind and the name of a piece", () => {
    const status = at("status");
    const changed = changePiece(lines, pieces, { piece: status, choice: choiceAt(status, "token"), name: "code" });
    expect(changed.expression).toBe("^%{IP:client} %{WORD:method} %{NOTSPACE:code}$");
    expect(changed.unmatched).toEqual([]);
  });

  it("lists the lines that the new expression does not match", () => {
    const { pieces: words } = suggestGrok(["user ada", "user bob"]);
    const user = words.findIndex(({ name }) => name === "user");
    const own = {
      ...words[user]!,
      choices: [{ ...words[user]!.choices[0]!, kind: "int", pattern: "INT", expression: "%{INT}" }],
    };
    const changed = changePiece(["user ada", "user 7"], words.with(user, own), { piece: user, choice: 0 });
    expect(changed.unmatched).toEqual([0]);
    expect(changed.pieces[user]?.spans).toEqual([null, [5, 6]]);
  });

  it("captures nothing when the name is null, and gives a literal no name", () => {
    expect(changePiece(lines, pieces, { piece: 0, name: null }).expression).toBe(
      "^%{IP} %{WORD:method} %{INT:status:int}$",
    );
    const same = suggestGrok(["v1.0 a", "v1.0 b"]);
    const literal = same.pieces[0]!.choices.findIndex(({ kind }) => kind === "literal");
    expect(changePiece(["v1.0 a"], same.pieces, { piece: 0, choice: literal }).expression).toBe(
      "^v1\\.0 %{WORD:word_2}$",
    );
  });

  it("every choice that a suggestion offers matches all lines", () => {
    // The test compiles an expression for each choice of samples. So the samples are short.
    for (const own of [lines, ["level=info ms=12", "level=warn ms=1.5"]]) {
      const suggestion = suggestGrok(own);
      for (const [piece, { choices, optional }] of suggestion.pieces.entries()) {
        if (optional !== null) continue;
        for (const choice of choices.keys()) {
          const { unmatched, expression } = changePiece(own, suggestion.pieces, { piece, choice });
          expect(unmatched, expression).toEqual([]);
        }
      }
    }
  });

  it("throws for a piece, a choice or a name that is not valid", () => {
    expect(() => changePiece(lines, pieces, { piece: 99 })).toThrow("changePiece: there is no piece 99; there are 5");
    expect(() => changePiece(lines, pieces, { piece: 0, choice: 99 })).toThrow("changePiece: piece 0 has no choice 99");
    expect(() => changePiece(lines, pieces, { piece: 0, name: "a b" })).toThrow("name must be 1 to 100 letters");
  });
});
