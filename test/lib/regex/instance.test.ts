// Tests the regular expressions of a Millrace instance: they search in the memory of the WebAssembly module,
// find the right matches, and release their memory when the program frees them.

import { expect, it } from "vitest";
import { createMillrace } from "../../../lib/index.ts";
import { wasmBytes } from "../wasm/load.ts";

it("an instance compiles expressions that run in its memory until they are freed", async () => {
  const mill = await createMillrace({ wasm: await wasmBytes() });
  const held: number[] = [];
  for (let round = 0; round < 5; round++) {
    const regex = mill.regex("(?P<k>\\w+)=(\\d+)", "i");
    expect(regex.findAll("é a=1, B=22").map(({ groups }) => groups[0])).toEqual([
      [2, 5],
      [7, 11],
    ]);
    const grok = mill.grok("%{WORD:w} %{NUM:n:int}", { patterns: { NUM: "\\d+" } });
    expect(grok.match("load 17")).toEqual({ w: "load", n: 17 });
    const inUse = mill.memory().used;
    regex.free();
    grok.free();
    held.push(mill.memory().used);
    expect(inUse).toBeGreaterThan(held[round]!);
  }
  // The first round allocates the buffer for copied texts, and the module does not free this buffer. So the rounds are
  // compared with the first one: the memory in use must be the same after each of them.
  expect(held.slice(1)).toEqual(held.slice(0, -1));
});
