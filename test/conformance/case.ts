// One case of a vector file. With `mode` "lp" (line protocol) the case tests the decoding of points, else it tests a
// pipeline.

import type { CaseHost } from "./case-host.ts";
import type { ExactJson } from "./exact-json.ts";
import { comparePipeline, type Place, runPipelineCase } from "./pipeline-case.ts";
import { runPointCase } from "./point-case.ts";

export interface CaseResult {
  readonly id: string;
  readonly note: string;
  /** Differences between the expected and the actual result, one line each; empty when the case passes. */
  readonly differences: readonly string[];
}

/**
 * Runs a case. `place` says where the points of `messages` are while the script runs: objects in JavaScript, or decoded
 * points in WebAssembly memory (a "tape"). With `deadlineMs`, the script has this time limit in milliseconds.
 */
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
