// Tests the agent's engine, which loads and runs scripts, while newly loaded scripts replace the current ones.

import { describe, expect, it } from "vitest";
import { Float } from "../../../lib/index.ts";
import { createEngine } from "../../../server/agent/create-engine.ts";
import { compileWasm, Key, Point } from "../../../server/agent/engine.ts";

const counts = `n = cache_get("n")
if n == nil { n = 0 }
if grok(_, "%{WORD:word} %{INT:number:int}") { n = n + 1 }
cache_set("n", n, 30)
add_key(n)`;
const sums = 'x = 2\nadd_key(word, "w")\nagg_create("b")\nagg_metric("b", "s", "sum", ["word"], "x")';

describe("scripts that are loaded again", () => {
  it("keep their state when unchanged, flush their aggregates when changed, and are freed", async () => {
    const engine = await createEngine(compileWasm(), { maxSteps: 0 });
    const run = (name: string) => {
      const point = new Point("p", 0n);
      point.setField(new Key("message"), "word 1");
      const { error } = engine.script("logging", name)!.run(point);
      expect(error).toBeNull();
      return point.get(new Key("n"));
    };
    expect(engine.load("logging", { "a.p": counts, "b.p": sums }).aggregated).toEqual([]);
    expect(run("a.p")).toBe(1);
    run("b.p");
    // A caller may still use a script that a later load has replaced. So the replaced script must still run.
    const old = engine.script("logging", "a.p")!;
    expect(engine.load("logging", { "a.p": counts, "b.p": sums }).aggregated).toEqual([]);
    expect(run("a.p")).toBe(2);
    const { aggregated } = engine.load("logging", { "a.p": counts, "b.p": `${sums}\n` });
    expect(aggregated.map(({ bucket, point }) => [bucket, point.get(new Key("s"))])).toEqual([["b", new Float(2)]]);
    expect(run("a.p")).toBe(3);
    const point = new Point("p", 0n);
    point.setField(new Key("message"), "word 1");
    expect(old.run(point).error).toBeNull();
    expect(point.get(new Key("n"))).toBe(4);
    expect(engine.load("logging", { "a.p": `${counts}\n` }).errors.size).toBe(0);
    expect(run("a.p")).toBe(1);
  });
});

describe("pattern files", () => {
  it("that change cause a new compilation of the scripts, which keep their state; unchanged files do not", async () => {
    const environment = { geoip: undefined, requests: undefined, ecsPatterns: true };
    const engine = await createEngine(compileWasm(), { maxSteps: 0, environment });
    const scripts = { "a.p": `${counts}\ngrok(_, "%{X:[a][b]}")` };
    const run = () => {
      const point = new Point("p", 0n);
      point.setField(new Key("message"), "word 1");
      expect(engine.script("logging", "a.p")!.run(point).error).toBeNull();
      return [point.get(new Key("a.b")), point.get(new Key("n"))].map(String);
    };
    expect(engine.usePatterns({ "x.grok": "X [a-z]++" })).toEqual([]);
    expect(engine.load("logging", scripts).errors.size).toBe(0);
    expect(run()).toEqual(["word", "1"]);
    engine.usePatterns({ "x.grok": "X [a-z]++" });
    engine.load("logging", scripts);
    expect(run()).toEqual(["word", "2"]);
    expect(engine.usePatterns({ "x.grok": "X [0-9]\nY (?=a)" })).toEqual([
      "x.grok:2: pattern Y: lookahead is not supported: `(?=a)`",
    ]);
    const before = { scripts, helpers: {} };
    expect(engine.chooseVersions("logging", scripts, before).errors.size).toBe(0);
    engine.load("logging", scripts);
    expect(run()).toEqual(["1", "3"]);
    engine.usePatterns({});
    expect([...engine.load("logging", scripts).errors.keys()]).toEqual(["a.p"]);
  });
});

describe("scripts of two namespaces", () => {
  it("call only scripts of their own namespace; a remote script hides the local one if it compiles", async () => {
    const engine = await createEngine(compileWasm(), { maxSteps: 0 });
    const by = (name: string) => {
      const script = engine.script("logging", name);
      if (script === undefined) return undefined;
      const point = new Point("p", 0n);
      expect(script.run(point).error).toBeNull();
      return [script.namespace, point.get(new Key("by"))];
    };
    const mark = (text: string) => `add_key(by, "${text}")`;
    engine.load("logging", { "a.p": 'use("h.p")', "h.p": mark("local"), "l.p": mark("only") });
    engine.load("metric", { "a.p": mark("metric") }, "remote");
    expect(by("a.p")).toEqual(["default", "local"]);
    expect(engine.load("logging", { "a.p": 'use("h.p")', "h.p": mark("far") }, "remote").errors.size).toBe(0);
    expect([by("a.p"), by("h.p"), by("l.p")]).toEqual([
      ["remote", "far"],
      ["remote", "far"],
      ["default", "only"],
    ]);
    // The script a.p of the namespace "remote" uses h.p, which exists only in the namespace "default". So a.p does not
    // compile.
    expect([...engine.load("logging", { "a.p": 'use("h.p")' }, "remote").errors.keys()]).toEqual(["a.p"]);
    expect([by("a.p"), by("h.p")]).toEqual([
      ["default", "local"],
      ["default", "local"],
    ]);
    engine.load("logging", {}, "remote");
    expect(by("a.p")).toEqual(["default", "local"]);
  });
});
