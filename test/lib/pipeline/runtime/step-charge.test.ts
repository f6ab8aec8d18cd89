// The step budget of scripts: a statement on large values costs more than one step, and the runs for all points
// of one write share one budget.

import { describe, expect, it } from "vitest";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import type { RunOptions } from "../../../../lib/pipeline/runtime/start-run.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Key } from "../../../../lib/point/view.ts";

const host = { now: () => 0n, random: () => 0, timeZone: "UTC" };

/** Returns the steps that a script takes for one point with this message. */
function stepsOf(script: string, message = "x"): number {
  const budget = { limit: 1_000_000_000, used: 0 };
  errorOf(script, { budget }, message);
  return budget.used;
}

function errorOf(script: string, options: Partial<RunOptions>, message = "x"): string | undefined {
  const set = compileScripts({ "a.p": script });
  expect([...set.errors]).toEqual([]);
  const point = new Point("p", 0n);
  point.setField(new Key("message"), message);
  return set.scripts.get("a.p")!.run(point, { category: "metric", host, ...options }).error?.error;
}

describe("the work of a statement", () => {
  it("on small values costs no extra steps", () => {
    expect(stepsOf('lowercase(_)\nreplace(_, "a", "b")')).toBe(2);
  });

  it("on large texts costs steps in every function that reads them", () => {
    const long = "x".repeat(64_000);
    for (const script of ["lowercase(_)", 'replace(_, "a", "b")', "add_key(n, len(_))", "url_decode(_)"]) {
      expect(stepsOf(script, long)).toBeGreaterThanOrEqual(1000);
    }
  });

  it("on large lists costs steps in operators, too", () => {
    const list = JSON.stringify(new Array(64_000).fill(1));
    const base = stepsOf("l = load_json(_)", list);
    for (const script of ["a = 2 in l", "a = l == l", "a = l[1:2]"]) {
      expect(stepsOf(`l = load_json(_)\n${script}`, list) - base).toBeGreaterThanOrEqual(1000);
    }
  });

  it("ends at the step limit when a text doubles again and again", () => {
    expect(errorOf("s = _\nfor ;; { s = s + s }", {}, "0123456789")).toBe("script exceeded 10000000 steps");
    expect(errorOf("s = _\nfor ;; { s += s }", {}, "0123456789")).toBe("script exceeded 10000000 steps");
  });

  it("ends at the step limit when an exponentially nested list is written again and again", () => {
    const doubling = "l = [_]\nfor i = 0; i < 14; i += 1 { l = [l, l] }\nfor ;; { add_key(t, l) }";
    expect(errorOf(doubling, { maxSteps: 100_000 })).toBe("script exceeded 100000 steps");
  });
});

describe("the budget of a write", () => {
  it("is shared by its runs, and the error reports its limit when it is used up", () => {
    const budget = { limit: 30, used: 0 };
    const script = "for i = 0; i < 5; i += 1 {}";
    const errors = [1, 2, 3, 4, 5, 6, 7].map(() => errorOf(script, { budget, maxSteps: 20 }));
    expect(errors.slice(0, 5)).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(errors.slice(5)).toEqual(["script exceeded 30 steps", "script exceeded 30 steps"]);
    expect(budget.used).toBe(30);
  });

  it("does not replace the step limit of a single point", () => {
    const budget = { limit: 1000, used: 0 };
    expect(errorOf("for ;; {}", { budget, maxSteps: 20 })).toBe("script exceeded 20 steps");
    expect(budget.used).toBe(20);
  });
});
