// One case of a vector file: `mode` lp is a points case, anything else a pipeline case.

import type { CaseHost } from "./case-host.ts";
import type { ExactJson } from "./exact-json.ts";
import { comparePipeline, runPipelineCase } from "./pipeline-case.ts";
import { runPointCase } from "./point-case.ts";

export interface CaseResult {
  readonly id: string;
  readonly note: string;
  /** What was expected and what came, a line each; empty when the case passes. */
  readonly differences: readonly string[];
  /** Functions that the script calls and that are not built yet. */
  readonly notBuilt: readonly string[];
}

export async function runCase(host: CaseHost, vector: ExactJson): Promise<CaseResult> {
  const { id, note, request, expect } = vector as {
    id: string;
    note: string;
    request: { [key: string]: ExactJson };
    expect: { [key: string]: ExactJson };
  };
  if (request.mode === "lp") return { id, note, differences: runPointCase(host.mill, request, expect), notBuilt: [] };
  const answer = await runPipelineCase(host, request);
  const differences = comparePipeline(expect, answer);
  const text = differences.join("\n");
  return {
    id,
    note,
    differences,
    notBuilt: [...text.matchAll(/function `(\w+)` is not built yet/g)].map((match) => match[1]!),
  };
}
