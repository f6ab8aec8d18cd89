// Gives events to ingest until it has stored them. While the queue takes nothing, waits and tries again, so that no more
// is read than the queue takes.

import { setTimeout as wait } from "node:timers/promises";
import { shownText } from "../../../../lib/text/index.ts";
import { ApiError } from "../../../http/errors.ts";
import type { Log } from "../../../telemetry/log.ts";
import type { Metrics } from "../../../telemetry/metrics.ts";
import { backoffMs, pauses } from "../../../time/backoff.ts";
import type { Ingest } from "../../ingest/ingest.ts";
import { writeLabel } from "../../ingest/input-counts.ts";
import { usualRequest } from "../receive-body.ts";
import type { EventBody } from "./event-body.ts";
import type { TailedFile } from "./tailed-file.ts";

export interface DeliverOptions {
  readonly ingest: Ingest;
  /** Returns the current time in nanoseconds since 1970. */
  readonly now: () => bigint;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Aborts when no further attempt may begin. */
  readonly closing: AbortSignal;
  /** Aborts the attempt that is under way. */
  readonly aborted: AbortSignal;
}

/**
 * Delivers the events of a body, which were read from the file. Resolves with true when they are stored, or refused for
 * good; with false when the input closes before.
 */
export type Deliver = (file: TailedFile, body: EventBody) => Promise<boolean>;

/** Number of failures after which events that the agent cannot process are taken for the cause. */
const mostFailures = 5;
/** Statuses with which the agent refuses any write at the moment, whatever it holds. */
const passing: ReadonlySet<number> = new Set([429, 503, 507]);

export function createDeliver(options: DeliverOptions): Deliver {
  const { ingest, now, log, metrics, closing, aborted } = options;
  const caller = { signal: aborted, keep: () => !aborted.aborted };
  let isWaiting = false;

  const send = async (file: TailedFile, body: Uint8Array): Promise<void> => {
    const { settings, tags } = file.source;
    await ingest(
      {
        ...usualRequest,
        body,
        sentBytes: body.length,
        encoding: "",
        category: "logging",
        form: "lp",
        conversion: undefined,
        now: now(),
        earlyTags: [["filename", file.path], ...tags],
        label: writeLabel(`tail/${settings.source}`),
      },
      caller,
    );
    if (isWaiting) log.info("tail: the agent takes events again");
    isWaiting = false;
  };

  const deliverRange = async (file: TailedFile, body: EventBody, from: number, to: number): Promise<boolean> => {
    for (let failures = 1; ; failures++) {
      try {
        await send(file, body.body(from, to));
        return true;
      } catch (error) {
        if (closing.aborted) return false;
        const isForGood = !(error instanceof ApiError && passing.has(error.status)) && failures >= mostFailures;
        if (isForGood || (error instanceof ApiError && error.status < 500 && !passing.has(error.status))) {
          return await withoutRefused(file, body, from, to, error as Error);
        }
        metrics.tailWaits.inc({ source: file.source.settings.source });
        if (!isWaiting)
          log.warn(`tail: events wait until the agent takes them: ${shownText((error as Error).message)}`);
        isWaiting = true;
        await wait(backoffMs(pauses.tail, failures), undefined, { signal: closing }).catch(() => {});
        if (closing.aborted) return false;
      }
    }
  };

  /** Delivers the halves of a range that was refused, so that only the event is skipped that is the cause. */
  const withoutRefused = async (
    file: TailedFile,
    body: EventBody,
    from: number,
    to: number,
    error: Error,
  ): Promise<boolean> => {
    if (to - from === 1) {
      metrics.tailSkipped.inc({ source: file.source.settings.source });
      log.warn(`tail: ${shownText(file.path)}: an event is skipped, the agent refuses it: ${shownText(error.message)}`);
      return true;
    }
    const middle = Math.floor((from + to) / 2);
    return (await deliverRange(file, body, from, middle)) && (await deliverRange(file, body, middle, to));
  };

  return (file, body) => deliverRange(file, body, 0, body.events);
}
