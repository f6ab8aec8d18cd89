// The conformance vectors, run as tests in Node and in Chromium. A case that calls a function which is not built yet must
// be told so by the checker, and is counted in the table below: nothing is skipped in silence.

import { describe, expect, it } from "vitest";
import { functions } from "../../lib/pipeline/functions/index.ts";
import { wasmBytes } from "../lib/wasm/load.ts";
import { type CaseResult, runCase } from "./case.ts";
import { createCaseHost } from "./case-host.ts";
import { parseExact } from "./exact-json.ts";
import functionsText from "./functions.jsonl?raw";
import grokText from "./grok.jsonl?raw";
import languageText from "./language.jsonl?raw";
import pointsText from "./points.jsonl?raw";

/** Cases per function that is not built yet; empty for the files that must pass whole. */
const waiting: Record<string, Record<string, number>> = {
  language: {},
  grok: {},
  points: {},
  functions: {
    xml: 22,
  },
};

const host = await createCaseHost(await wasmBytes());

for (const [file, text] of Object.entries({
  language: languageText,
  grok: grokText,
  points: pointsText,
  functions: functionsText,
})) {
  describe(file, () => {
    const counts: Record<string, number> = {};
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    it.for(lines.map((line) => parseExact(line) as unknown as { id: string; note: string }))(
      "$id: $note",
      async (vector) => {
        const result: CaseResult = await runCase(host, vector as never);
        if (result.notBuilt.length === 0) expect(result.differences).toEqual([]);
        for (const name of result.notBuilt) counts[name] = (counts[name] ?? 0) + 1;
      },
    );

    it("lists the cases that wait for a function", () => {
      expect(counts).toEqual(waiting[file]);
      const built = functions.map(({ name }) => name);
      expect(Object.keys(counts).filter((name) => built.includes(name))).toEqual([]);
    });
  });
}
