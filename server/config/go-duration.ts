// Durations as strings, parsed and formatted as the Go language does: `300ms`, `1m30s`, `41m44.632183515s`
// (docs/reference/agent.md#answers).

import { goDuration } from "../../lib/dql/index.ts";

const unitNanoseconds: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** Parses a duration string. Returns nanoseconds, or undefined when the string is not a duration. */
export function parseDuration(text: string): number | undefined {
  const signed = /^([+-]?)(.*)$/s.exec(text)!;
  if (signed[2] === "0") return 0;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(signed[2])) return undefined;
  let total = 0;
  for (const [, number, unit] of signed[2].matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(number) * unitNanoseconds[unit];
  }
  return signed[1] === "-" ? -total : total;
}

/** Parses a duration string. Returns milliseconds, or `fallbackMs` when the string is not a positive duration. */
export function durationMs(text: string, fallbackMs: number): number {
  const nanoseconds = parseDuration(text);
  return nanoseconds === undefined || nanoseconds <= 0 ? fallbackMs : nanoseconds / 1e6;
}

/**
 * Formats a duration in nanoseconds as Go does: below a second with one unit, otherwise in hours, minutes and seconds,
 * without trailing zeros in the fraction.
 */
export function formatDuration(nanoseconds: bigint): string {
  return nanoseconds < 0n ? `-${goDuration(-nanoseconds)}` : goDuration(nanoseconds);
}
