// Coverage of a script: how many points reached each statement and each `grok` call.

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../../lib/grok/load.ts";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import { type Coverage, createCoverage } from "../../../../lib/pipeline/runtime/coverage.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Key } from "../../../../lib/point/view.ts";

const host = { now: () => 0n, random: () => 0.5, timeZone: "UTC" };

/**
 * Runs `main.p` over one point for each message. Returns the coverage, and for each point the offsets of the `grok`
 * calls that did not match the point.
 */
function covered(texts: string | Record<string, string>, messages: readonly string[]) {
  const scripts = typeof texts === "string" ? { "main.p": texts } : texts;
  const set = compileScripts(scripts, { patterns: builtinPatterns, probes: true });
  expect([...set.errors]).toEqual([]);
  const coverage = createCoverage();
  const each = messages.map((message) => {
    const point = new Point("default", 0n);
    point.setField(new Key("message"), message);
    set.scripts.get("main.p")!.run(point, { category: "logging", host, probe: coverage });
    return { missed: coverage.missed.map((index) => coverage.places[index]!.at), hasMatch: coverage.hasMatch };
  });
  return { set, coverage, each };
}

/**
 * Returns one line of text for each statement and `grok` call of a script: the beginning of its source, its
 * kind, and the number of points that reached it. For a `grok` call, the number of points that it matched
 * follows; for an `if`, the number of points that took each branch.
 */
function lines({ places }: Coverage, text: string): string[] {
  return [...places]
    .sort((a, b) => a.at - b.at || (a.kind === "grok" ? 1 : -1))
    .map(({ at, kind, points, matched, branches }) =>
      [text.slice(at, at + 9), kind, points, ...(kind === "grok" ? [matched] : branches)].join(" "),
    );
}

describe("coverage", () => {
  it("counts the points of each statement, grok and branch", () => {
    const text = [
      'if grok(_, "^a%{INT:n:int}$") {',
      "  add_key(a, 1)",
      '} elif grok(_, "^b%{INT:n:int}$") {',
      "  drop()",
      "}",
      "add_key(all, 1)",
    ].join("\n");
    const { coverage, each } = covered(text, ["a1", "b2", "c3", "a4"]);
    expect(lines(coverage, text)).toEqual([
      "if grok(_ If 4 2 1",
      'grok(_, " grok 4 2',
      "add_key(a Expression 2",
      'grok(_, " grok 2 1',
      "drop()\n}\n Expression 1",
      "add_key(a Expression 4",
    ]);
    const second = text.lastIndexOf("grok");
    expect(each).toEqual([
      { missed: [], hasMatch: true },
      { missed: [3], hasMatch: true },
      { missed: [3, second], hasMatch: false },
      { missed: [], hasMatch: true },
    ]);
  });

  it("counts a point once per place, however often a loop reaches the place", () => {
    const text = 'for w in ["a", "b", "1"] {\n  grok(w, "^%{INT:n:int}$")\n}\nfor w in ["a"] { grok(w, "x") }';
    const { coverage, each } = covered(text, ["m", "m"]);
    const groks = coverage.places.filter(({ kind }) => kind === "grok");
    expect(groks.map(({ points, matched }) => [points, matched])).toEqual([
      [2, 2],
      [2, 0],
    ]);
    expect(each.map(({ missed }) => missed)).toEqual([[text.lastIndexOf("grok")], [text.lastIndexOf("grok")]]);
  });

  it("counts the statements of called scripts, and continues after a failed run", () => {
    const texts = { "main.p": 'use("b.p")\nadd_key(end, 1)', "b.p": 'if _ == "bad" {\n  x = 0\n  y = 1 / x\n}' };
    const { coverage, set } = covered(texts, ["good", "bad", "good"]);
    const counts = coverage.places.map(({ script, at, points }) => `${script} ${at} ${points}`);
    expect(counts).toEqual(["main.p 0 3", "b.p 0 3", "main.p 11 2", "b.p 18 1", "b.p 26 1"]);
    expect(
      set.scripts
        .get("b.p")!
        .statements.map(({ at }) => at)
        .sort((a, b) => a - b),
    ).toEqual([0, 18, 26]);
  });

  it("lists the statements of a script only when it is compiled with probes", () => {
    expect(compileScripts({ "a.p": "drop()" }).scripts.get("a.p")!.statements).toEqual([]);
  });
});
