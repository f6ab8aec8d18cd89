// Reads and writes the durations in request members and answers, such as `1h0m0s` and `36.041516ms`
// (docs/reference/query.md#requests).

import { durationNs, isOrderedDuration } from "./literals.ts";

const goUnits: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/**
 * Returns the nanoseconds of a duration in DQL's syntax (`1d12h`) or in Go's syntax (`1h0m0s`, `1.5s`); undefined when
 * the string is neither.
 */
export function readDurationText(text: string): bigint | undefined {
  if (/^(?:[0-9]+(?:ms|us|ns|[ywdhms]))+$/.test(text) && isOrderedDuration(text)) return durationNs(text);
  if (!/^(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, number, unit] of text.matchAll(/([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    sum += Number(number) * goUnits[unit!]!;
  }
  return BigInt(Math.round(sum));
}

/**
 * Writes a duration as Go does. A duration below one second is written in one unit; a longer duration is written
 * in hours, minutes and seconds. Fractions have no trailing zeros.
 *
 * @example
 * goDuration(90_500_000_000n); // "1m30.5s"
 */
export function goDuration(ns: bigint): string {
  if (ns === 0n) return "0s";
  if (ns < 1_000n) return `${ns}ns`;
  if (ns < 1_000_000n) return `${decimal(ns, 3)}µs`;
  if (ns < 1_000_000_000n) return `${decimal(ns, 6)}ms`;
  const minutes = ns / 60_000_000_000n;
  const seconds = `${decimal(ns % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Writes `value` with a decimal point before its last `places` digits, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  const whole = digits.slice(0, -places);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
