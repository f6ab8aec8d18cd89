// Asks the gateway for its time at intervals (docs/reference/agent.md#time-of-the-gateway). When the clocks of gateway
// and agent differ much, points without a time get the gateway's time.

import { isRecord } from "../../http/body/json-body.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Gateway, GatewayAnswer } from "../outputs/gateways.ts";
import { startPullLoop } from "./pull-loop.ts";

export interface TimeSyncOptions {
  readonly gateway: Gateway;
  readonly intervalMs: number;
  /** Difference in seconds between the clocks of gateway and agent below which the difference is ignored. */
  readonly diffSeconds: number;
  /** Returns the time of this machine's clock in nanoseconds since 1970. */
  readonly clock: () => bigint;
  /** Called when the difference between the clocks of gateway and agent has changed. */
  readonly onChange?: () => void;
  readonly log: Log;
  readonly metrics: Pick<Metrics, "ntpSyncs" | "ntpDiff">;
}

export interface TimeSync {
  /**
   * Nanoseconds to add to the time of this machine's clock to get the gateway's time; 0 when the clocks differ little.
   */
  readonly offset: bigint;
  close(): void;
}

const subject = "time of the gateway";
const shortestIntervalMs = 60_000;
const leastDiffSeconds = 5;

/**
 * Returns the interval in milliseconds between requests for the time: the configured interval, but not less than the
 * shortest allowed interval.
 */
export function syncIntervalMs(configuredMs: number): number {
  return Math.max(configuredMs, shortestIntervalMs);
}

export function startTimeSync(options: TimeSyncOptions): TimeSync {
  const { gateway, intervalMs, diffSeconds, clock, onChange = () => {}, log, metrics } = options;
  const least = Math.max(diffSeconds, leastDiffSeconds);
  let offset = 0n;

  /**
   * Returns the number of seconds by which the gateway's clock is ahead of this machine's clock; undefined when
   * the answer of the gateway contains no time.
   */
  const diffOf = ({ status, bytes }: GatewayAnswer): number | undefined => {
    if (status !== 200) {
      log.debug(`${subject}: ${status}`);
      return undefined;
    }
    const remote = secondsOf(Buffer.from(bytes).toString());
    return remote === undefined ? undefined : remote - Number(clock() / 1_000_000_000n);
  };

  const logOffset = (seconds: number): void => {
    const side = seconds > 0 ? "behind" : "ahead of";
    if (seconds === 0) log.info("the clock of this machine agrees with the gateway's again, or that tells no time");
    else log.warn(`the clock of this machine is ${Math.abs(seconds)} s ${side} the gateway's, which is taken instead`);
  };

  const take = (answer: GatewayAnswer): boolean => {
    const diff = diffOf(answer);
    if (diff !== undefined) {
      metrics.ntpSyncs.inc();
      metrics.ntpDiff.observe({}, diff);
    }
    // When the answer of the gateway has no time, the agent uses this machine's clock.
    const seconds = diff !== undefined && Math.abs(diff) >= least ? diff : 0;
    const next = BigInt(seconds) * 1_000_000_000n;
    if (next !== offset) {
      logOffset(seconds);
      offset = next;
      onChange();
    }
    return true;
  };

  const ask = (): Promise<GatewayAnswer> => gateway.call({ method: "GET", path: "/v1/ntp" });
  const { close } = startPullLoop({ subject, log, ask, take, intervalMs: () => intervalMs });
  return {
    get offset() {
      return offset;
    },
    close,
  };
}

function secondsOf(text: string): number | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const seconds = isRecord(body) ? body.timestamp_sec : undefined;
    return Number.isSafeInteger(seconds) && (seconds as number) > 0 ? (seconds as number) : undefined;
  } catch {
    return undefined;
  }
}
