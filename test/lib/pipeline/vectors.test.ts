// The conformance vectors of the script language, of grok and of the built-in functions, run as tests.

import { describe, expect, it } from "vitest";
import { type ExactJson, parseExact } from "../../conformance/exact-json.ts";
import functionsText from "../../conformance/functions.jsonl?raw";
import grokText from "../../conformance/grok.jsonl?raw";
import languageText from "../../conformance/language.jsonl?raw";
import { comparePipeline, type ExactObject, runPipelineCase } from "../../conformance/pipeline-case.ts";

interface Vector {
  readonly id: string;
  readonly note: string;
  readonly request: ExactObject;
  readonly expect: ExactObject;
}

/** The functions document (2.15) has `rename` accept a string literal as the old key, this vector has it refused. */
const contradicted = "language/check-errors/16";

function vectorsOf(text: string): Vector[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line): ExactJson => parseExact(line)) as unknown as Vector[];
}

for (const [name, text] of [
  ["language", languageText],
  ["grok", grokText],
  ["functions", functionsText],
] as const) {
  describe(`vectors of ${name}`, () => {
    const vectors = vectorsOf(text)
      .filter(({ id }) => id !== contradicted)
      .map((vector) => [`${vector.id}: ${vector.note}`, vector] as const);
    it.for(vectors)("%s", ([, { expect: wanted, request }], { skip }) => {
      const answer = runPipelineCase(request);
      if (answer.error?.error.endsWith("is not built yet")) skip();
      expect(comparePipeline(wanted, answer)).toEqual([]);
    });
  });
}
