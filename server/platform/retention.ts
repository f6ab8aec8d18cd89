// Deletes expired data at regular intervals: points, session replays, and batch ids (by which repeated uploads
// are recognized).

import type { CategoryName } from "../../lib/point/index.ts";
import type { PointsStore } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Replays } from "./open-api/replay-parts.ts";

export interface Retention {
  /** The time in ms for which points are kept, by category. */
  readonly kept: ReadonlyMap<CategoryName, number>;
  /** The time in ms for which batch ids are kept. A repeated upload is recognized by its batch id. */
  readonly batchIdsMs: number;
  /** The time in ms for which session replays are kept. */
  readonly replaysMs: number;
  readonly everyMs: number;
  readonly store: PointsStore;
  readonly replays: Pick<Replays, "expire">;
  readonly log: Log;
  /** Returns the current time in ms since 1970. */
  readonly now: () => number;
  /** Calls `work` every `ms` milliseconds. Returns a function that stops the calls. */
  readonly every: (ms: number, work: () => void) => () => void;
  /** Called with the number of deleted points after each deletion. */
  readonly deleted: (points: number) => void;
}

/** Starts to delete expired data at regular intervals. Returns a function that stops this. */
export function startRetention(retention: Retention): () => void {
  let running = false;
  return retention.every(retention.everyMs, () => {
    if (running) return;
    running = true;
    void Promise.all([expire(retention), expireReplays(retention)]).finally(() => {
      running = false;
    });
  });
}

async function expireReplays({ replaysMs, replays, log, now }: Retention): Promise<void> {
  try {
    const parts = await replays.expire(now() - replaysMs);
    if (parts > 0) log.info(`${parts} parts of session replays were kept long enough and are deleted`);
  } catch (error) {
    log.error(`old session replays could not be deleted: ${(error as Error).message}`);
  }
}

async function expire({ kept, batchIdsMs, store, log, now, deleted }: Retention): Promise<void> {
  const ms = now();
  const before = Object.fromEntries(
    [...kept].map(([category, keptMs]) => [category, BigInt(Math.round(ms - keptMs)) * 1_000_000n]),
  );
  try {
    const answer = await store.ask({ kind: "expire", before, batchesBefore: ms - batchIdsMs });
    if (answer.kind === "refused") log.error(`old points could not be deleted: ${answer.message}`);
    if (answer.kind !== "expired" || answer.points === 0) return;
    deleted(answer.points);
    log.info(`${answer.points} points were kept long enough and are deleted`);
  } catch (error) {
    log.error(`old points could not be deleted: ${(error as Error).message}`);
  }
}
