// Sentences of the documents of the language, of grok and of the functions, a worked case or more for each.

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
  // Scripts over text that lies on a tape are run by other code than over text of JavaScript.
  for (const place of ["object", "tape"] as const) {
    describe(`${file} on ${place}`, () => {
      it.for(blocks)("%s", ([, block]) => {
        expect(runBlock(mill, block, place)).toEqual(block.turns.map(({ out }) => out));
      });
    });
  }
  // Debug runs count time instead of steps; a script means the same there.
  describe(`${file} with a deadline`, () => {
    it.for(blocks)("%s", ([, block]) => {
      expect(runBlock(mill, block, "object", 60_000)).toEqual(block.turns.map(({ out }) => out));
    });
  });
}
