// The conformance vectors, run as tests in Node and in Chromium: every case must pass.

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
  // Scripts over text that lies on a tape are run by other code than over text of JavaScript.
  if (file === "points") continue;
  describe(`${file} on a tape`, () => {
    it.for(vectors)("$id: $note", async (vector) => {
      const { differences } = await runCase(host, vector as never, "tape");
      expect(differences).toEqual([]);
    });
  });
  // Debug runs count time instead of steps; a script means the same there.
  describe(`${file} with a deadline`, () => {
    it.for(vectors)("$id: $note", async (vector) => {
      const { differences } = await runCase(host, vector as never, "object", 60_000);
      expect(differences).toEqual([]);
    });
  });
}
