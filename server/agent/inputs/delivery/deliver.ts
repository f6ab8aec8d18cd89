// Passes events to ingest until ingest has stored them. While the agent refuses writes, for example because its queue
// is full, waits and tries again. So no more is read from the files than the queue takes.

import { setTimeout as wait } from "node:timers/promises";
import { shownText } from "../../../../lib/text/index.ts";
import { ApiError } from "../../../http/errors.ts";
import type { Log } from "../../../telemetry/log.ts";
import { backoffMs, pauses } from "../../../time/backoff.ts";
import type { Ingest } from "../../ingest/ingest.ts";
import { writeLabel } from "../../ingest/input-counts.ts";
import type { ExtraTag } from "../../ingest/write-request.ts";
import { usualRequest } from "../receive-body.ts";

export interface DeliverOptions {
  /** Name of the input, such as `tail`; the label of its writes is `<input>/<source>`. */
  readonly input: string;
  readonly ingest: Ingest;
  /** Returns the current time in nanoseconds since 1970. */
  readonly now: () => bigint;
  readonly log: Pick<Log, "info" | "warn">;
  /** Counts an attempt that failed because the agent takes nothing at the moment. */
  readonly onWait: (source: string) => void;
  /** Counts an event that the agent refuses. */
  readonly onSkip: (source: string) => void;
  /** Aborts when the input closes. No attempt may begin after that. */
  readonly closing: AbortSignal;
  /** Aborts the attempt that is in progress. */
  readonly aborted: AbortSignal;
}

/** Where events come from. */
export interface Origin {
  /** Measurement of the events. */
  readonly source: string;
  /** Tags of all the events. */
  readonly tags: readonly ExtraTag[];
  /** Description of the place for the log, such as a path. */
  readonly place: string;
}

/** Events as the body of a write, of which parts can be had. */
export interface Deliverable {
  readonly events: number;
  body(from: number, to: number): Uint8Array;
}

/**
 * Delivers the events `[from, to)` of a body, all of them by default. Resolves with true when they are stored, or
 * refused for good; with false when the input closes before.
 */
export type Deliver = (origin: Origin, body: Deliverable, from?: number, to?: number) => Promise<boolean>;

/** Number of failed attempts after which the events themselves are assumed to be the cause. */
const mostFailures = 5;
/** HTTP statuses that mean that the agent accepts no write at the moment, whatever the write contains. */
const passing: ReadonlySet<number> = new Set([429, 503, 507]);

export function createDeliver(options: DeliverOptions): Deliver {
  const { input, ingest, now, log, onWait, onSkip, closing, aborted } = options;
  const caller = { signal: aborted, keep: () => !aborted.aborted };
  let isWaiting = false;

  const send = async ({ source, tags }: Origin, body: Uint8Array): Promise<void> => {
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
        earlyTags: tags,
        label: writeLabel(`${input}/${source}`),
      },
      caller,
    );
    if (isWaiting) log.info(`${input}: the agent takes events again`);
    isWaiting = false;
  };

  const deliverRange = async (origin: Origin, body: Deliverable, from: number, to: number): Promise<boolean> => {
    for (let failures = 1; ; failures++) {
      try {
        await send(origin, body.body(from, to));
        return true;
      } catch (error) {
        if (closing.aborted) return false;
        const isForGood = !(error instanceof ApiError && passing.has(error.status)) && failures >= mostFailures;
        if (isForGood || (error instanceof ApiError && error.status < 500 && !passing.has(error.status))) {
          return await withoutRefused(origin, body, from, to, error as Error);
        }
        onWait(origin.source);
        if (!isWaiting)
          log.warn(`${input}: events wait until the agent takes them: ${shownText((error as Error).message)}`);
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
    origin: Origin,
    body: Deliverable,
    from: number,
    to: number,
    error: Error,
  ): Promise<boolean> => {
    if (to - from === 1) {
      onSkip(origin.source);
      log.warn(
        `${input}: ${shownText(origin.place)}: an event is skipped, the agent refuses it: ${shownText(error.message)}`,
      );
      return true;
    }
    const middle = Math.floor((from + to) / 2);
    return (await deliverRange(origin, body, from, middle)) && (await deliverRange(origin, body, middle, to));
  };

  return (origin, body, from = 0, to = body.events) => deliverRange(origin, body, from, to);
}
