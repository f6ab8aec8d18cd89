// Runs the conformance vectors as tests in Node and in Chromium. Every case must pass.

import { describe, expect, it } from "vitest";
import { wasmBytes } from "../lib/wasm/load.ts";
import { runCase } from "./case.ts";
import { createCaseHost } from "./case-host.ts";
import { parseExact } from "./exact-json.ts";
import functionsText from "./functions.jsonl?raw";
import grokText from "./grok.jsonl?raw";
import languageText from "./language.jsonl?raw";
import pointsText from "./points.jsonl?raw";

const host = await createCaseHost(await wasmBytes());

for (const [file, text] of Object.entries({
  language: languageText,
  grok: grokText,
  points: pointsText,
  functions: functionsText,
})) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const vectors = lines.map((line) => parseExact(line) as unknown as { id: string; note: string });
  describe(file, () => {
    it.for(vectors)("$id: $note", async (vector) => {
      const { differences } = await runCase(host, vector as never);
      expect(differences).toEqual([]);
    });
  });
  // Runs the scripts of the vectors a second time, over decoded points in WebAssembly memory (a "tape"). For these
  // points the engine uses other code than for points that are JavaScript objects. The file `points` has no scripts.
  if (file === "points") continue;
  describe(`${file} on a tape`, () => {
    it.for(vectors)("$id: $note", async (vector) => {
      const { differences } = await runCase(host, vector as never, "tape");
      expect(differences).toEqual([]);
    });
  });
  // A run of the debugger has a time limit instead of a step budget. The scripts must give the same results with a time
  // limit as without one.
  describe(`${file} with a deadline`, () => {
    it.for(vectors)("$id: $note", async (vector) => {
      const { differences } = await runCase(host, vector as never, "object", 60_000);
      expect(differences).toEqual([]);
    });
  });
}
