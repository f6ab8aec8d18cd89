// Tests scripts of a pipeline that runs on a central server instead of an agent. In such a pipeline, five
// functions have no effect. The compiler checks calls of these functions as usual, and warns about each call.

import { describe, expect, it } from "vitest";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import { diagnose } from "../../../../lib/pipeline/editor/diagnose.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Key } from "../../../../lib/point/view.ts";

const script = `agg_create("b", on_interval="1s")
agg_metric("b", "n", "sum", ["t"], "f")
create_point("made", {"a": "b"}, {"f": 1})
query_refer_table("t", "k", "v")
mquery_refer_table("t", ["k"], ["v"])
add_key(done, 1)`;
const host = {
  now: () => 0n,
  random: () => 0,
  timeZone: "UTC",
  tables: () => ({ find: () => [{ key: new Key("found"), value: 1 }] }),
};

function run(runsIn: "agent" | "central") {
  const { scripts, errors } = compileScripts({ "a.p": script }, { runsIn });
  expect([...errors]).toEqual([]);
  const its = scripts.get("a.p")!;
  const point = new Point("p", 1n);
  point.setField(new Key("f"), 1);
  const { created, error } = its.run(point, { category: "logging", host });
  expect(error).toBeNull();
  return {
    state: its.state,
    created: created.length,
    found: point.has(new Key("found")),
    done: point.has(new Key("done")),
  };
}

describe("a central pipeline", () => {
  it("continues after calls that have no effect there", () => {
    expect(run("central")).toEqual({ state: false, created: 0, found: false, done: true });
    expect(run("agent")).toEqual({ state: true, created: 1, found: true, done: true });
  });

  it("gets a warning for each such call at its position", () => {
    const warnings = diagnose({ "a.p": script }, { runsIn: "central" });
    expect(warnings.map(({ severity, message, error }) => [severity, message, error.pos_chain[0]!.ln])).toEqual([
      ["warning", "agg_create has no effect in a central pipeline", 1],
      ["warning", "agg_metric has no effect in a central pipeline", 2],
      ["warning", "create_point has no effect in a central pipeline", 3],
      ["warning", "query_refer_table has no effect in a central pipeline", 4],
      ["warning", "mquery_refer_table has no effect in a central pipeline", 5],
    ]);
    expect(diagnose({ "a.p": script })).toEqual([]);
  });

  it("still gets the arguments of such calls checked", () => {
    const [mistake] = diagnose({ "a.p": 'query_refer_table("t", [1], 2)' }, { runsIn: "central" });
    expect(mistake).toMatchObject({ severity: "error", message: expect.stringMatching(/^param key expects/) });
  });
});
