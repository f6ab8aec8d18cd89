// Tests for the sentences of the reference pages of the script language, of grok and of the functions; each sentence
// has at least one test case.

import { describe, expect, it } from "vitest";
import { createMillrace } from "../../../../lib/index.ts";
import { wasmBytes } from "../../wasm/load.ts";
import { parseBlocks, runBlock } from "./block.ts";
import firstFunctionsText from "./functions-1.txt?raw";
import secondFunctionsText from "./functions-2.txt?raw";
import grokText from "./grok.txt?raw";
import languageText from "./language.txt?raw";

const mill = await createMillrace({
  wasm: await wasmBytes(),
  timeZone: "UTC",
  clock: () => 1700000000000000000n,
  random: () => 0.5,
});

for (const [file, text] of Object.entries({
  language: languageText,
  grok: grokText,
  "functions-1": firstFunctionsText,
  "functions-2": secondFunctionsText,
})) {
  const blocks = parseBlocks(text).map((block) => [`line ${block.line}: ${block.scripts["main.p"]}`, block] as const);
  // Runs the scripts of all test cases in two ways: over points that are JavaScript objects, and over decoded points in
  // WebAssembly memory (a "tape"). The engine uses different code for the two.
  for (const place of ["object", "tape"] as const) {
    describe(`${file} on ${place}`, () => {
      it.for(blocks)("%s", ([, block]) => {
        expect(runBlock(mill, block, place)).toEqual(block.cases.map(({ out }) => out));
      });
    });
  }
  // A run of the debugger has a time limit instead of a step budget. The scripts must give the same results with a time
  // limit as without one.
  describe(`${file} with a deadline`, () => {
    it.for(blocks)("%s", ([, block]) => {
      expect(runBlock(mill, block, "object", 60_000)).toEqual(block.cases.map(({ out }) => out));
    });
  });
}
