// Expressions of an instance: the same answers out of the module's memory, which they give back.

import { expect, it } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import { wasmBytes } from "../wasm/load.ts";

it("an instance compiles expressions that run in its memory until they are freed", async () => {
  const mill = await createMillrace({ wasm: await wasmBytes() });
  const before = mill.memory().used;
  const regex = mill.regex("(?P<k>\\w+)=(\\d+)", "i");
  expect(regex.findAll("é a=1, B=22").map(({ groups }) => groups[0])).toEqual([
    [2, 5],
    [7, 11],
  ]);
  const grok = mill.grok("%{WORD:w} %{NUM:n:int}", { patterns: { NUM: "\\d+" } });
  expect(grok.match("load 17")).toEqual({ w: "load", n: 17 });
  expect(mill.memory().used).toBeGreaterThan(before);
  regex.free();
  grok.free();
  expect(mill.memory().used).toBe(before);
});
