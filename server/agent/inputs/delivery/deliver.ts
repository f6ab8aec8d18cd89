// Stores the events of an input (tail, stdin, journald, syslog) as logs. When the agent refuses writes, for
// example because its queue is full, this code waits and tries again. So an input reads events no faster than
// the queue accepts them.

import { setTimeout as wait } from "node:timers/promises";
import type { CategoryName } from "../../../../lib/point/index.ts";
import { shownText } from "../../../../lib/text/index.ts";
import { ApiError } from "../../../http/errors.ts";
import type { Log } from "../../../telemetry/log.ts";
import { backoffMs, pauses } from "../../../time/backoff.ts";
import type { Ingest } from "../../ingest/ingest.ts";
import { writeLabel } from "../../ingest/input-counts.ts";
import type { ExtraTag } from "../../ingest/write-request.ts";
import { ownLines } from "../receive-body.ts";

export interface DeliverOptions {
  /**
   * Name of the input, such as `tail`. The writes of the input have the label `<input>/<source>`, or `<input>`
   * when there is no source.
   */
  readonly input: string;
  /** Category of the points that are made of events; by default `logging`. */
  readonly category?: CategoryName;
  readonly ingest: Ingest;
  /** Returns the current time in nanoseconds since 1970. */
  readonly now: () => bigint;
  readonly log: Pick<Log, "info" | "warn">;
  /** Called when an attempt to store events has failed and the input will wait and try again. */
  readonly onWait: (source: string) => void;
  /** Called for each event that is skipped because the agent refuses it; counts the event in the metrics. */
  readonly onSkip: (source: string) => void;
  /** A signal that aborts when the input closes. After that, the input begins no further attempt to store events. */
  readonly closing: AbortSignal;
  /** A signal that aborts the current attempt to store events. */
  readonly aborted: AbortSignal;
}

/** The source of events, and the tags that all of its events get. */
export interface Origin {
  /** Measurement of the points that are made of events. */
  readonly source: string;
  /** Tags that the point of every event gets. */
  readonly tags: readonly ExtraTag[];
  /** Description of the source for log messages, such as the path of a file. */
  readonly place: string;
}

/** Events, encoded as the body of a write. The function `body` returns the body for a range of the events. */
export interface Deliverable {
  readonly events: number;
  body(from: number, to: number): Uint8Array;
}

/**
 * Stores the events `[from, to)` of a body; without a range, all events. Resolves with true when each event is
 * either stored or skipped because the agent refuses it. Resolves with false when the input closes before that.
 */
export type Deliver = (origin: Origin, body: Deliverable, from?: number, to?: number) => Promise<boolean>;

/** Number of failed attempts after which one of the events is assumed to cause the failure. */
const mostFailures = 5;
/**
 * HTTP statuses which mean that the agent accepts no write at the moment. The contents of the write do not
 * matter.
 */
const passing: ReadonlySet<number> = new Set([429, 503, 507]);

export function createDeliver(options: DeliverOptions): Deliver {
  const { input, category = "logging", ingest, now, log, onWait, onSkip, closing, aborted } = options;
  const caller = { signal: aborted, keep: () => !aborted.aborted };
  let isWaiting = false;

  const send = async ({ source, tags }: Origin, body: Uint8Array): Promise<void> => {
    await ingest(
      ownLines({
        body,
        category,
        now: now(),
        earlyTags: tags,
        label: writeLabel(source === "" ? input : `${input}/${source}`),
      }),
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
   * Stores each half of a refused range of events separately. Splits a refused half again, and so on. So only
   * those events are skipped that the agent refuses even when they are sent alone.
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
