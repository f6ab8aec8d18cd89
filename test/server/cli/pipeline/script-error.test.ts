import { describe, expect, it } from "vitest";
import { scriptErrorText } from "../../../../server/cli/pipeline/script-error.ts";

describe("a script's error in a terminal", () => {
  it("shows the line and a caret under the column of the error", () => {
    const error = { error: "key not found", pos_chain: [{ file: "a.p", ln: 2, col: 7, pos: 12 }] };
    expect(scriptErrorText(error, { "a.p": "x = 1\n\ty = x[é]\n" })).toBe(
      "a.p:2:7: key not found\n  \ty = x[é]\n  \t     ^",
    );
  });

  it("shows the exact place, with the hint on a line of its own", () => {
    const at = (ln: number, col: number) => ({ file: "a.p", ln, col, pos: 0 });
    const sources = { "a.p": 'add_pattern("x", "(")\ngrok(_, "%{x:y}")' };
    const error = { error: "e", pos_chain: [at(2, 1)], at: at(1, 19), hint: "h" };
    expect(scriptErrorText(error, sources)).toBe(
      'a.p:2:1: e\n  at a.p:1:19\n  add_pattern("x", "(")\n                    ^\n  hint: h',
    );
  });

  it("lists the calls that led to the error", () => {
    const at = (file: string) => ({ file, ln: 1, col: 1, pos: 0 });
    expect(scriptErrorText({ error: "e", pos_chain: [at("b.p"), at("a.p")] }, { "b.p": "b", "a.p": "a" })).toBe(
      "b.p:1:1: e\n  b\n  ^\n  called from a.p:1:1",
    );
  });
});
