// Every function's examples, run as written; and what a declaration must hold to be documented.

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../../lib/grok/load.ts";
import { controlFunctions } from "../../../../lib/pipeline/functions/control.ts";
import type { Example } from "../../../../lib/pipeline/functions/declare.ts";
import { functions } from "../../../../lib/pipeline/functions/index.ts";
import { compileScripts } from "../../../../lib/pipeline/script.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float, isBytes, type PointValue } from "../../../../lib/point/value.ts";
import { Key } from "../../../../lib/point/view.ts";

const NOW = 1700000000000000000n;

function plain(value: PointValue): unknown {
  if (value instanceof Float) return value.value;
  if (typeof value === "bigint") return Number(value);
  return isBytes(value) ? value.toString() : value;
}

/** Keys added, changed or removed; the status that every log gets counts only when the example names it. */
function run({ script, input, gives }: Example): Record<string, unknown> {
  const set = compileScripts({ "main.p": script }, { patterns: builtinPatterns });
  const error = set.errors.get("main.p");
  if (error !== undefined) throw new Error(error.error);
  const point = new Point("default", NOW);
  point.setField(new Key("message"), input);
  const host = { now: () => NOW, random: () => 0.5, timeZone: "UTC" };
  const result = set.scripts.get("main.p")?.run(point, { category: "logging", host });
  if (result?.error) throw new Error(result.error.error);
  const changes: Record<string, unknown> = {};
  for (const { key, value } of point.entries()) changes[key] = plain(value);
  if (!("message" in changes)) changes.message = undefined;
  else if (changes.message === input) delete changes.message;
  if (!("status" in gives)) delete changes.status;
  return changes;
}

describe("built-in functions", () => {
  const all = [...functions, ...controlFunctions];
  const examples = all.flatMap(({ name, examples }) => examples.map((example) => ({ name, example })));

  it.each(examples)("$name: $example.script", ({ example }) => {
    expect(run(example)).toEqual({ ...example.gives });
  });

  it("have names of their own", () => {
    const names = all.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
    expect(names).toEqual([...new Set(names)]);
  });

  it.each(functions)("$name is documented with an example", ({ summary, params, examples }) => {
    expect(summary).toMatch(/\.$/);
    expect(examples.length).toBeGreaterThan(0);
    for (const param of params) expect(param.summary).not.toBe("");
  });
});
