// Records the steps (executed statements) of the run over one point. The script must also run over all points
// before this one, because a script may keep state from one point to the next.

import { type Change, createTrace, kindOf, type Script } from "../../../../lib/index.ts";
import { byteSource } from "../bytes.ts";
import { type DecodedBatch, decodeInput } from "../decode.ts";
import type { Instance } from "../instance.ts";
import { pointText, valueText } from "../point-text.ts";
import type { Job } from "../protocol.ts";
import type { ChangeText, StepsAnswer } from "./steps.ts";

const mostSteps = 2000;
/** Largest number of characters of a value that is sent to the page. */
const longestValue = 2000;

/**
 * Returns the steps (executed statements) of the point with the given number; the first point has the number 1.
 * Returns null when the input has fewer points.
 */
export async function tracePoint(
  mill: Instance,
  script: Script,
  job: Job,
  clock: () => bigint,
  number: number,
): Promise<StepsAnswer | null> {
  const source = await byteSource(job.input);
  let passed = 0;
  for await (const batch of decodeInput(mill, source.chunks, { ...job, now: clock })) {
    try {
      if (passed + batch.length >= number) return traceIn(mill, script, job, batch, number - passed - 1, clock);
      runBefore(mill, script, job, batch, batch.length, clock);
      passed += batch.length;
    } finally {
      batch.release();
    }
  }
  return null;
}

function runBefore(
  mill: Instance,
  script: Script,
  { category, maxSteps }: Job,
  batch: DecodedBatch,
  end: number,
  clock: () => bigint,
): void {
  for (let at = 0; at < end; at++) mill.run(script, batch.at(at), { category, maxSteps });
  script.takeAggregated(clock());
}

function traceIn(
  mill: Instance,
  script: Script,
  job: Job,
  batch: DecodedBatch,
  index: number,
  clock: () => bigint,
): StepsAnswer {
  runBefore(mill, script, job, batch, index, clock);
  const { category, maxSteps } = job;
  const point = batch.at(index);
  const before = pointText(point);
  const trace = createTrace(mostSteps);
  const { error } = mill.run(script, point, { category, maxSteps, probe: trace });
  const steps = trace.steps.map(
    ({ script: name, ln, col, kind, depth, text, branch, dropped, unmatched, error: failure, ...step }) => ({
      ...{ script: name, ln, col, kind, depth, text, branch, dropped, unmatched, error: failure },
      changes: step.changes.map(changeText),
      variables: step.variables,
      created: step.created.map((made) => `${made.category} ${made.name}`),
    }),
  );
  return { before, steps, after: trace.after.map(changeText), error, isCut: trace.truncated };
}

function changeText(change: Change): ChangeText {
  switch (change.kind) {
    case "set": {
      const { key, isTag, value } = change;
      return { kind: "set", key, isTag, valueKind: kindOf(value), text: valueText(value).slice(0, longestValue) };
    }
    case "removed":
      return { kind: "removed", key: change.key };
    case "renamed":
      return { kind: "renamed", from: change.from, key: change.key };
    case "measurement":
      return { kind: "name", text: change.value };
    case "time":
      return { kind: "time", time: change.value };
  }
}
