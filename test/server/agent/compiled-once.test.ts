// Counts how often the agent's engine compiles scripts. The engine must reuse compiled scripts, and free the memory of
// those that are no longer loaded.

import { beforeEach, expect, it, vi } from "vitest";
import { Tree } from "../../../lib/pipeline/syntax/tree.ts";
import { LazyEngine } from "../../../lib/regex/engines/lazy-engine.ts";
import { createEngine } from "../../../server/agent/create-engine.ts";
import { compileWasm, type Engine, Key, Point } from "../../../server/agent/engine.ts";
import type { InForce } from "../../../server/agent/scripts/last-good.ts";

const nothing: InForce = { scripts: {}, helpers: {} };
const broken = "x = = 1";
/**
 * The helper functions of this file put one grok expression into every script that compiles. So the number of compiled
 * expressions is the number of compiled scripts.
 */
const withOne = (statement: string) => `if grok(_, "%{WORD:w}") { ${statement} }`;
const mark = (text: string) => withOne(`add_key(by, "${text}")`);
const usesHelper = withOne('use("h.p")');

const wasm = compileWasm();
let engine: Engine;
/** Returns the number of compiled scripts, and the number of compiled scripts that have not been freed. */
let counts: () => { compiled: number; live: number };

beforeEach(async () => {
  engine = await createEngine(wasm, { maxSteps: 0 });
  const parsed = vi.spyOn(Tree.prototype, "finish");
  const freed = vi.spyOn(LazyEngine.prototype, "free");
  counts = () => {
    const compiled = parsed.mock.calls.length;
    return { compiled, live: compiled - freed.mock.calls.length };
  };
  return () => {
    parsed.mockRestore();
    freed.mockRestore();
  };
});

function markOf(name: string): unknown {
  const point = new Point("p", 0n);
  point.setField(new Key("message"), "word");
  expect(engine.script("logging", name)!.run(point).error).toBeNull();
  return point.get(new Key("by"));
}

function load({ scripts, helpers }: InForce): void {
  expect(engine.load("logging", { ...scripts }, "default", { ...helpers }).errors.size).toBe(0);
}

it("the engine loads the versions that it has chosen repeatedly without compiling them", () => {
  const settled = engine.chooseVersions("logging", { "a.p": mark("a"), "b.p": mark("b") }, nothing);
  load(settled);
  load(settled);
  expect(counts()).toEqual({ compiled: 2, live: 2 });
  expect([markOf("a.p"), markOf("b.p")]).toEqual(["a", "b"]);
});

it("the engine uses chosen versions only for the category and namespace that they were chosen for", () => {
  const files = { "a.p": mark("a") };
  const settled = engine.chooseVersions("logging", files, nothing);
  engine.load("logging", files, "remote");
  engine.load("metric", files);
  expect(counts()).toEqual({ compiled: 3, live: 3 });
  load(settled);
  expect(counts()).toEqual({ compiled: 3, live: 3 });
  engine.load("logging", {}, "remote");
  expect(counts()).toEqual({ compiled: 3, live: 2 });
  expect(markOf("a.p")).toBe("a");
});

it("the engine reports the errors of the chosen files at each load", () => {
  const files = { "a.p": mark("a"), "b.p": broken };
  expect([...engine.chooseVersions("logging", files, nothing).errors.keys()]).toEqual(["b.p"]);
  for (let time = 1; time <= 3; time++) expect([...engine.load("logging", files).errors.keys()]).toEqual(["b.p"]);
  expect(counts()).toEqual({ compiled: 1, live: 1 });
  expect(markOf("a.p")).toBe("a");
});

it("the engine compiles the remaining scripts again when a file that never compiled is left out", () => {
  load(engine.chooseVersions("logging", { "a.p": mark("a"), "never.p": broken }, nothing));
  expect(counts()).toEqual({ compiled: 2, live: 1 });
  expect(markOf("a.p")).toBe("a");
});

it("the engine reuses the compiled last good version of a file that no longer compiles", () => {
  const first = engine.chooseVersions("logging", { "a.p": mark("a") }, nothing);
  load(first);
  const second = engine.chooseVersions("logging", { "a.p": broken }, first);
  expect([...second.errors.keys()]).toEqual(["a.p"]);
  expect(counts()).toEqual({ compiled: 2, live: 2 });
  load(second);
  expect(counts()).toEqual({ compiled: 2, live: 1 });
  expect(markOf("a.p")).toBe("a");
});

it("the engine forgets its chosen versions when it chooses versions for other files", () => {
  const first = engine.chooseVersions("logging", { "a.p": usesHelper, "h.p": mark("1") }, nothing);
  load(first);
  engine.chooseVersions("logging", { "a.p": usesHelper, "h.p": mark("2") }, first);
  const third = engine.chooseVersions("logging", { "a.p": usesHelper, "h.p": mark("3") }, first);
  expect(counts()).toEqual({ compiled: 6, live: 4 });
  load(third);
  expect(counts()).toEqual({ compiled: 6, live: 2 });
  expect(markOf("a.p")).toBe("3");
});

it("the engine keeps a script whose file was removed only as a helper of other scripts", () => {
  const first = engine.chooseVersions("logging", { "a.p": usesHelper, "h.p": mark("1") }, nothing);
  load(first);
  load(engine.chooseVersions("logging", { "a.p": usesHelper }, first));
  expect(engine.scriptNames("logging")).toEqual(["a.p"]);
  expect(markOf("a.p")).toBe("1");
  expect(counts().live).toBe(2);
});
