// One case of a vector file: `mode` lp is a points case, anything else a pipeline case.

import type { CaseHost } from "./case-host.ts";
import type { ExactJson } from "./exact-json.ts";
import { comparePipeline, type Place, runPipelineCase } from "./pipeline-case.ts";
import { runPointCase } from "./point-case.ts";

export interface CaseResult {
  readonly id: string;
  readonly note: string;
  /** Differences between expected and actual result, one a line; empty when the case passes. */
  readonly differences: readonly string[];
}

/** `place` is where points of messages lie while the script runs; `deadlineMs` makes it a debug run. */
export async function runCase(
  host: CaseHost,
  vector: ExactJson,
  place: Place = "object",
  deadlineMs?: number,
): Promise<CaseResult> {
  const { id, note, request, expect } = vector as {
    id: string;
    note: string;
    request: { [key: string]: ExactJson };
    expect: { [key: string]: ExactJson };
  };
  if (request.mode === "lp") return { id, note, differences: runPointCase(host.mill, request, expect) };
  const answer = await runPipelineCase(host, request, place, deadlineMs);
  return { id, note, differences: comparePipeline(expect, answer) };
}
