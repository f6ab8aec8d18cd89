// Deletes what has been kept long enough, again and again.

import type { CategoryName } from "../../lib/point/category.ts";
import type { PointsStore } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import type { Replays } from "./open-api/replay-parts.ts";

export interface Retention {
  /** ms by category. */
  readonly kept: ReadonlyMap<CategoryName, number>;
  /** ms for which ids of batches are kept. */
  readonly batchIdsMs: number;
  /** ms for which session replays are kept. */
  readonly replaysMs: number;
  readonly everyMs: number;
  readonly store: PointsStore;
  readonly replays: Pick<Replays, "expire">;
  readonly log: Log;
  /** ms since 1970. */
  readonly now: () => number;
  /** Calls back again and again; gives what ends it. */
  readonly every: (ms: number, work: () => void) => () => void;
  /** Is told of points that were deleted. */
  readonly deleted: (points: number) => void;
}

/** Gives what ends it. */
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
