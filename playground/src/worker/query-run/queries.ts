// The worker's part for the query mode: holds the points of a run, answers queries over them, and helps the user write
// queries.

import { dqlCompletions, functions, namespaces } from "../../../../lib/dql/index.ts";
import { t } from "../../text/translate.ts";
import type { Job, RunAnswer } from "../protocol.ts";
import type { Control, PointSink } from "../run.ts";
import * as local from "./answer.ts";
import type {
  HeldKey,
  HeldSource,
  Holding,
  NoPoints,
  QueryAnswer,
  QueryFault,
  QueryItems,
  QueryJob,
  QueryWord,
} from "./asking.ts";
import { HeldPoints, type Limits } from "./held-points.ts";
import { PlatformPoints } from "./platform-points.ts";

export { editFilter } from "./edit-filter.ts";
export { countKeys, countSources, exploreQuery, keyValues } from "./explore.ts";
export { editRange } from "./query-parts.ts";
export { survey } from "./survey.ts";
export { PlatformPoints };

/** The points that queries read: points in memory, or those of a platform. */
export type QueriedPoints = HeldPoints | PlatformPoints;

export function noPoints(): HeldPoints {
  return new HeldPoints(() => {});
}

/**
 * Runs a job with the function `run`, and keeps the resulting points in memory. Stops the run when the limit of points
 * is reached.
 */
export async function hold(
  job: Job,
  control: Control,
  run: (job: Job, sink: PointSink) => Promise<RunAnswer>,
  limits?: Limits,
): Promise<{ readonly held: HeldPoints; readonly answer: Holding | NoPoints }> {
  const held = new HeldPoints(() => {
    control.stopped = true;
  }, limits);
  const ran = await run(job, held);
  if (ran.kind === "script-errors")
    return { held: noPoints(), answer: { reason: t("The script has an error, so there are no points.") } };
  if (ran.kind === "input-error") return { held: noPoints(), answer: { reason: ran.message } };
  const { endReason, readBytes, totalBytes } = ran.summary;
  const n = totalBytes > 0 ? `${Math.floor((100 * readBytes) / totalBytes)} %` : "";
  const cut = held.isFull
    ? t(
        n === ""
          ? "Only the first points are held. Queries read nothing else."
          : "Only the first points are held, {n} of the input. Queries read nothing else.",
        { n },
      )
    : endReason === "stopped"
      ? t(
          n === ""
            ? "Stopped: the points up to there are held."
            : "Stopped: the points up to there are held, {n} of the input.",
          { n },
        )
      : "";
  return { held, answer: await held.holding(cut) };
}

/**
 * Answers a query. When the points are in memory, a query that takes longer than `limitMs` milliseconds is stopped, and
 * the answer is an error.
 */
export function answer(points: QueriedPoints, job: QueryJob, limitMs?: number): Promise<QueryAnswer> {
  return points instanceof PlatformPoints ? points.answer(job) : local.answer(points, job, limitMs);
}

/** Returns the whole answer as CSV. */
export function answerCsv(points: QueriedPoints, job: QueryJob): Promise<string | QueryFault> {
  return points instanceof PlatformPoints ? points.answerCsv(job) : local.answerCsv(points, job);
}

/**
 * Returns the keys of a measurement. The list of measurements that the platform sends may leave out the keys of a
 * measurement; they are then requested from the platform.
 */
export async function keysOf(points: QueriedPoints, source: HeldSource): Promise<readonly HeldKey[]> {
  if (source.keys.length > 0 || !(points instanceof PlatformPoints)) return source.keys;
  return points.keysOf(source);
}

export async function queryItems(points: QueriedPoints, before: string): Promise<QueryItems> {
  const { from, items } = await dqlCompletions(before, points.names);
  return { from, items: items.slice(0, 500) };
}

const places = { all: "", metric: ", only for M", others: ", not for M" } as const;

export function queryWords(): QueryWord[] {
  return [
    ...functions.map(({ name, kind, where, summary }) => ({ name, kind: `${kind} function${places[where]}`, summary })),
    ...namespaces.map(({ short, long, rows }) => ({
      ...{
        name: short,
        kind: "namespace",
        summary: `points of ${long.replaceAll("_", " ")}${rows === "all" ? "" : `, ${rows} only`}`,
      },
    })),
  ];
}
