// The conformance vectors, run as tests in Node and in Chromium. A case that calls a function which is not built yet must
// be told so by the checker, and is counted in the table below: nothing is skipped in silence.

import { describe, expect, it } from "vitest";
import { createMillrace } from "../../lib/index.ts";
import { functions } from "../../lib/pipeline/functions/index.ts";
import { wasmBytes } from "../lib/wasm/load.ts";
import { type CaseResult, runCase } from "./case.ts";
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
    agg_create: 22,
    agg_metric: 4,
    cache_get: 4,
    cache_set: 9,
    geoip: 4,
    http_request: 5,
    mquery_refer_table: 8,
    point_window: 17,
    query_refer_table: 14,
    user_agent: 14,
    window_hit: 1,
    xml: 22,
  },
};

const mill = await createMillrace({
  wasm: await wasmBytes(),
  timeZone: "UTC",
  clock: () => 1700000000000000000n,
  random: () => 0.5,
});

for (const [file, text] of Object.entries({
  language: languageText,
  grok: grokText,
  points: pointsText,
  functions: functionsText,
})) {
  describe(file, () => {
    const counts: Record<string, number> = {};
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    it.for(lines.map((line) => parseExact(line) as unknown as { id: string; note: string }))("$id: $note", (vector) => {
      const result: CaseResult = runCase(mill, vector as never);
      if (result.notBuilt.length === 0) expect(result.differences).toEqual([]);
      for (const name of result.notBuilt) counts[name] = (counts[name] ?? 0) + 1;
    });

    it("lists the cases that wait for a function", () => {
      expect(counts).toEqual(waiting[file]);
      const built = functions.map(({ name }) => name);
      expect(Object.keys(counts).filter((name) => built.includes(name))).toEqual([]);
    });
  });
}
