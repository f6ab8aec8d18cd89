// The loop of every pull (a request that fetches filters, scripts or the time from the gateway at intervals). Repeats
// the request until the agent closes. Logs the first of consecutive failures as a warning. Saves the last answer in a
// file for the next start of the agent.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { answerText } from "../../outbound/retry-classification.ts";
import type { Log } from "../../telemetry/log.ts";
import type { GatewayAnswer } from "../outputs/gateways.ts";

export interface PullLoopOptions {
  /** Subject of each log line of the loop, such as "filters of the gateway". */
  readonly subject: string;
  readonly log: Log;
  ask(): Promise<GatewayAnswer>;
  /**
   * Handles the answer of the gateway, which may have any HTTP status. Throws when the gateway has failed. Returns
   * false when the gateway does not offer the requested data, such as scripts.
   */
  take(answer: GatewayAnswer): boolean;
  /** Returns the milliseconds until the next request to the gateway. Called after each answer. */
  intervalMs(): number;
}

export interface PullLoop {
  close(): void;
}

/**
 * Starts the loop. Asks the gateway at once. After each answer, waits for the interval and asks again. Ignores an
 * answer that arrives after `close`.
 */
export function startPullLoop({ subject, log, ask, take, intervalMs }: PullLoopOptions): PullLoop {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isFailing = false;

  const fail = (reason: string): void => {
    if (isFailing) log.debug(`${subject}: ${reason}`);
    else log.warn(`${subject}: ${reason}; those in force are kept`);
    isFailing = true;
  };

  const pull = async (): Promise<void> => {
    try {
      const answer = await ask();
      if (isClosed) return;
      if (take(answer)) isFailing = false;
    } catch (error) {
      fail((error as Error).message);
    }
    if (isClosed) return;
    timer = setTimeout(pull, intervalMs());
    timer.unref();
  };

  void pull();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/**
 * Returns the body of an answer; undefined when the gateway does not offer the data that was asked for. Throws when the
 * gateway has failed.
 */
export function textOf({ status, cause, bytes }: GatewayAnswer): string | undefined {
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(answerText({ status, cause }));
  return Buffer.from(bytes).toString();
}

/**
 * Reads the answer that an earlier run of the agent saved in `file`, and passes it to `take`. Logs a warning when the
 * file cannot be read or used.
 */
export function restoreAnswer(file: string, take: (text: string) => void, log: Log): void {
  try {
    take(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") log.warn(`${file}: ${(error as Error).message}`);
  }
}

/** Saves an answer of the gateway in `file`. Replaces the file atomically. Throws when the file cannot be written. */
export function keepAnswer(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
