// Tests with the agent's engine which version of each script runs when some files do not compile.

import { describe, expect, it } from "vitest";
import { createEngine } from "../../../../server/agent/create-engine.ts";
import { compileWasm, type Engine, Key, Point, plErrorText } from "../../../../server/agent/engine.ts";
import type { InForce } from "../../../../server/agent/scripts/last-good.ts";

const mark = (text: string) => `add_key(by, "${text}")`;
const broken = "x = = 1";
const wasm = compileWasm();

/**
 * Loads several versions of the script files into the engine, one after the other. Returns the state after the last
 * version: the field `by` that each running script sets, the errors, and the names of old scripts that the engine keeps
 * only because running scripts call them.
 */
async function saved(...sets: Readonly<Record<string, string>>[]) {
  const engine: Engine = await createEngine(wasm, { maxSteps: 0 });
  let inForce: InForce = { scripts: {}, helpers: {} };
  let errors: Record<string, string> = {};
  for (const files of sets) {
    const settled = engine.chooseVersions("logging", files, inForce);
    errors = Object.fromEntries([...settled.errors].map(([name, error]) => [name, plErrorText(error)]));
    inForce = settled;
    expect(engine.load("logging", inForce.scripts, "default", inForce.helpers).errors.size).toBe(0);
  }
  const marks = engine.scriptNames("logging").map((name) => {
    const point = new Point("p", 0n);
    expect(engine.script("logging", name)!.run(point).error).toBeNull();
    return [name, point.get(new Key("by"))];
  });
  return { marks: Object.fromEntries(marks), errors, helpers: Object.keys(inForce.helpers) };
}

describe("a file that does not compile any more", () => {
  it("keeps its last good version in force until it compiles again or is deleted", async () => {
    const first = { "a.p": mark("a1"), "b.p": mark("b1") };
    const kept = await saved(first, { "a.p": broken, "b.p": mark("b1") }, { "a.p": "y = = 2", "b.p": mark("b2") });
    expect(kept.marks).toEqual({ "a.p": "a1", "b.p": "b2" });
    expect(kept.errors).toEqual({ "a.p": expect.stringMatching(/^a\.p:1:5: /) });
    expect(await saved(first, { "a.p": broken }, { "a.p": mark("a2") })).toMatchObject({
      marks: { "a.p": "a2" },
      errors: {},
    });
    // The script's file was first deleted, and a broken file with the same name appeared in a later version. In this
    // case no old version of the script runs.
    const anew = await saved(first, { "a.p": broken }, {}, { "a.p": broken });
    expect([anew.marks, Object.keys(anew.errors)]).toEqual([{}, ["a.p"]]);
  });

  it("still runs in its last good version when other scripts call it, and their changes take effect", async () => {
    const { marks, errors } = await saved(
      { "a.p": 'use("h.p")', "b.p": mark("b1"), "h.p": mark("h1") },
      { "a.p": 'use("h.p")', "b.p": `use("a.p")\n${mark("b2")}`, "h.p": broken },
    );
    expect(marks).toEqual({ "a.p": "h1", "b.p": "b2", "h.p": "h1" });
    expect(Object.keys(errors)).toEqual(["h.p"]);
  });

  it("may be one that calls a broken, missing or cyclic script; its own callers still compile", async () => {
    const first = { "a.p": mark("a1"), "b.p": mark("b1"), "c.p": mark("c1") };
    const { marks, errors } = await saved(first, {
      "a.p": 'use("new.p")',
      "b.p": 'use("absent.p")',
      "c.p": 'use("d.p")',
      "d.p": 'use("c.p")',
      "e.p": 'use("a.p")',
      "new.p": broken,
    });
    expect(marks).toEqual({ "a.p": "a1", "b.p": "b1", "c.p": "c1", "d.p": "c1", "e.p": "a1" });
    expect(Object.keys(errors).sort()).toEqual(["a.p", "b.p", "c.p", "new.p"]);
    expect(errors["c.p"]).toContain("circular dependency: c.p -> d.p -> c.p");
  });

  it("can still call a script whose file is gone, although no point runs that script directly", async () => {
    const first = { "a.p": 'use("h.p")', "h.p": 'use("i.p")', "i.p": mark("i1") };
    const gone = await saved(first, { "a.p": 'use("h.p")', "b.p": 'use("h.p")' });
    expect(gone).toMatchObject({ marks: { "a.p": "i1" }, helpers: ["h.p", "i.p"] });
    expect(gone.errors).toEqual({
      "a.p": expect.stringContaining("script h.p not found"),
      "b.p": expect.stringContaining("script h.p not found"),
    });
    // The file h.p appears again but does not compile. The old version of h.p then gets no points of its own; the
    // engine keeps it only because a.p uses it.
    const back = await saved(first, { "a.p": 'use("h.p")' }, { "a.p": 'use("h.p")', "h.p": broken });
    expect(back).toMatchObject({ marks: { "a.p": "i1" }, helpers: ["h.p", "i.p"] });
    expect(Object.keys(back.errors)).toEqual(["a.p", "h.p"]);
    const whole = await saved(first, { "a.p": 'use("h.p")' }, { "a.p": 'use("h.p")', "h.p": mark("h2") });
    expect(whole).toEqual({ marks: { "a.p": "h2", "h.p": "h2" }, errors: {}, helpers: [] });
  });

  it("keeps the state of its last version between points", async () => {
    const engine = await createEngine(wasm, { maxSteps: 0 });
    const counts = 'n = cache_get("n")\nif n == nil { n = 0 }\ncache_set("n", n + 1, 30)\nadd_key(by, n)';
    let inForce: InForce = { scripts: {}, helpers: {} };
    const seen = [counts, broken, broken].map((text) => {
      inForce = engine.chooseVersions("logging", { "a.p": text, "b.p": mark(text.slice(0, 1)) }, inForce);
      engine.load("logging", inForce.scripts);
      const point = new Point("p", 0n);
      engine.script("logging", "a.p")!.run(point);
      return point.get(new Key("by"));
    });
    expect(seen).toEqual([0, 1, 2]);
  });
});
