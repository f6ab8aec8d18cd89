// Passes events to ingest until ingest has stored them. While the agent refuses writes, for example because its queue
// is full, waits and tries again. So no more is read from the files than the queue takes.

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
  /** Aborts when the input closes. No attempt may begin after that. */
  readonly closing: AbortSignal;
  /** Aborts the attempt that is in progress. */
  readonly aborted: AbortSignal;
}

/**
 * Delivers the events of `body`, which were read from `file`. Resolves with true when each event was stored or finally
 * refused; with false when the input closes before that.
 */
export type Deliver = (file: TailedFile, body: EventBody) => Promise<boolean>;

/** Number of failed attempts after which the events themselves are assumed to be the cause. */
const mostFailures = 5;
/** HTTP statuses that mean that the agent accepts no write at the moment, whatever the write contains. */
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

  /**
   * Delivers each half of a refused range separately. The halves are split again as needed, so that only the event that
   * causes the refusal is skipped.
   */
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
