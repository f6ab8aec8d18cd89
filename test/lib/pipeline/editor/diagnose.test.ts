// All errors of a script: the compiler's first error, and further errors after it. A correct script has none.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../../lib/grok/load.ts";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import { diagnose } from "../../../../lib/pipeline/editor/diagnose.ts";
import { vectorScripts } from "../vector-scripts.ts";

const options = { patterns: builtinPatterns };

/** Returns `line:column message` for each error, with the source text that the error marks. */
function found(text: string): string[] {
  return diagnose({ "a.p": text }, options).map(({ severity, message, error, from, to }) => {
    const { ln, col } = error.pos_chain[0]!;
    return `${severity === "error" ? "" : "warning "}${ln}:${col} ${message} [${text.slice(from, to)}]`;
  });
}

describe("diagnose", () => {
  it("reports the error of the compiler for every conformance script", () => {
    let wrong = 0;
    for (const text of vectorScripts) {
      const error = compileScripts({ "a.p": text }, options).errors.get("a.p");
      const errors = diagnose({ "a.p": text }, options).filter(({ severity }) => severity === "error");
      if (error === undefined) expect(errors, text).toEqual([]);
      else {
        wrong++;
        expect(errors.map((each) => each.error)).toContainEqual(error);
        for (const { from, to } of errors) expect(to).toBeGreaterThanOrEqual(from);
      }
    }
    expect(wrong).toBeGreaterThan(100);
  }, 60_000);

  it("reports an error exactly when the compiler does, for random tokens", () => {
    const tokens = [
      "if",
      "elif",
      "else",
      "for",
      "in",
      "break",
      "a",
      "1",
      '"s"',
      '"',
      "\n",
      ";",
      ",",
      ":",
      ".",
      "=",
      "==",
      "+",
      "&&",
      "!",
      "(",
      ")",
      "[",
      "]",
      "{",
      "}",
      "# c\n",
      "@",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 40 }), (parts) => {
        const text = parts.join(" ");
        const error = compileScripts({ "a.p": text }, options).errors.get("a.p");
        expect(diagnose({ "a.p": text }, options).some(({ severity }) => severity === "error")).toBe(
          error !== undefined,
        );
      }),
      { numRuns: 500 },
    );
  }, 60_000);

  it.each<[string, string, string[]]>([
    [
      "statements",
      "a = \nb = 1 2\nc = 3\nd = )\ne = (1\nf = 2",
      ["2:3 unexpected: <op:'='> [=]", "4:6 unexpected right parenthesis ')' [)]", '6:1 unexpected: id "f" [(]'],
    ],
    [
      "heads of blocks, into the blocks",
      'if x y {\n  add_key(b c)\n  nosuch(1)\n} elif = {\n  d = [1, 2\n  cast(x, "nope")\n} else z {\n  grok(_, "%{NOSUCH}")\n}\nlast(',
      [
        '1:6 unexpected: id "y" [y]',
        '2:13 unexpected: id "c" [c]',
        "3:3 unsupported func: `nosuch` [nosuch]",
        "4:8 unexpected: <op:'='> [=]",
        '6:3 unexpected: id "cast" [[]',
        '6:11 unsupported data type: nope ["nope"]',
        '7:8 unexpected: id "z" [z]',
        '8:3 no pattern found for %{NOSUCH} ["%{NOSUCH}"]',
        "10:6 unclosed left parenthesis [(]",
      ],
    ],
    [
      "lines that cannot be read",
      'a = "abc\nb = \'x\nif c == "d {\n  nosuch()\n}\nadd_key(e, @)\n',
      [
        '1:5 unterminated quoted string within lexString ["]',
        "2:5 unterminated quoted string within lexString [']",
        '3:9 unterminated quoted string within lexString ["]',
        "4:3 unsupported func: `nosuch` [nosuch]",
        "6:12 unexpected character: '@' [@]",
      ],
    ],
    [
      "a block that is not closed",
      "if a {\n  if b {\n    add_key(c)\n  nosuch()\n}\n",
      ["6:1 unclosed left brace [{]", "4:3 unsupported func: `nosuch` [nosuch]"],
    ],
    [
      "a bracket too many",
      "a = 1\n}\nb = nosuch()\n",
      ["2:2 unexpected right parenthesis '}' [}]", "3:5 unsupported func: `nosuch` [nosuch]"],
    ],
    [
      "loops",
      "for i = 0; i < ; i = i + 1 {\n nosuch()\n}\nfor x y {\n break\n}\nbreak\n",
      [
        '1:16 unexpected: ";" [;]',
        "2:2 unsupported func: `nosuch` [nosuch]",
        '4:7 unexpected: id "y" [y]',
        "5:2 break not in loop [break]",
        "7:1 break not in loop [break]",
      ],
    ],
    [
      "calls over several lines",
      "add_key(\n  a,\n  b c\n)\nadd_key()\nif 1 { cast(a, 'nope')\n drop(1) }",
      [
        '3:5 unexpected: id "c" [(]',
        "5:1 func add_key expected 1 or 2 args [add_key]",
        "6:16 unsupported data type: nope ['nope']",
      ],
    ],
  ])("continues after a mistake: %s", (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it("marks the call that leads to a mistake in another script", () => {
    const notes = diagnose({ "a.p": 'x = 1\nuse("b.p")\nuse("none.p")', "b.p": "nosuch()\ndrop(" }, options);
    expect(notes.map(({ script, message, from, to }) => [script, message, from, to])).toEqual([
      ["a.p", "unclosed left parenthesis", 6, 9],
      ["a.p", "script none.p not found", 17, 20],
      ["b.p", "unsupported func: `nosuch`", 0, 6],
      ["b.p", "unclosed left parenthesis", 13, 14],
    ]);
  });

  it("warns about legal code that has no effect", () => {
    expect(found("a.b = 1")).toEqual(["warning 1:1 assignment to AttrExpr has no effect [a]"]);
  });
});
