// Runs the traceroute of the TCP and ICMP dial tests (docs/reference/agent.md#dial-tests).

import { durationOf, numberCheck } from "./checks.ts";
import { CommandError, type TraceOptions, traceroute } from "./commands.ts";
import { boolOf, type Json, numberOf, objectOf, objectsOf, textOf } from "./members.ts";
import type { Address } from "./networks.ts";
import type { FieldValue, Hop } from "./result.ts";

export interface Trace {
  /** Settings of the traceroute; undefined when the dial test asks for no traceroute. */
  readonly options: TraceOptions | undefined;
  readonly checks: readonly ((hops: number) => string | undefined)[];
}

const limits = { hops: 60, tries: 3, timeoutMs: 10_000 };

export function readTrace(task: Json, conditions: readonly Json[]): Trace {
  const checks = conditions.flatMap((condition) => objectsOf(condition, "hops").map(numberCheck));
  if (checks.length === 0 && !boolOf(task, "enable_traceroute")) return { options: undefined, checks };
  const config = objectOf(task, "traceroute_config");
  const timeout = config.Timeout ?? config.timeout ?? 0;
  const timeoutNs =
    typeof timeout === "string" ? (timeout === "" ? 0 : durationOf(timeout)) : numberOf({ timeout }, "timeout", 0);
  const hops = numberOf({ hops: config.Hops ?? config.hops }, "hops", 0) || 30;
  const tries = numberOf({ retry: config.Retry ?? config.retry }, "retry", 0) || 2;
  return {
    options: {
      hops: bounded(hops, limits.hops),
      tries: bounded(tries, limits.tries),
      timeoutMs: Math.min(Math.max(timeoutNs / 1e6 || 30, 1), limits.timeoutMs),
    },
    checks,
  };
}

function bounded(value: number, most: number): number {
  return Math.min(Math.max(1, Math.floor(value)), most);
}

export interface Traced {
  readonly hops: readonly Hop[];
  readonly outcomes: readonly (string | undefined)[];
  readonly fields: Readonly<Record<string, FieldValue>>;
}

export async function runTrace({ options, checks }: Trace, to: Address, signal: AbortSignal): Promise<Traced> {
  if (options === undefined) return { hops: [], outcomes: [], fields: {} };
  let hops: Hop[] = [];
  let reason = "";
  try {
    hops = await traceroute(to, options, signal);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    reason = error.message;
  }
  const outcomes = checks.map((check) => {
    if (hops.length === 0) return `traceroute failed with no hops${reason === "" ? "" : `: ${reason}`}`;
    const failure = check(hops.length);
    return failure === undefined ? undefined : `traceroute hops check failed: ${failure}`;
  });
  return {
    hops,
    outcomes,
    fields: {
      hops: hops.length,
      traceroute: JSON.stringify(hops),
      ...(reason === "" ? {} : { traceroute_error: reason }),
    },
  };
}

/** Returns the host that the dial test names; an empty string when it names none. */
export function hostOf(task: Json): string {
  return textOf(task, "host").trim();
}
