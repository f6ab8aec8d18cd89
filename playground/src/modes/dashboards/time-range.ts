// Time ranges and refresh intervals of a dashboard: the ranges and intervals that the user can choose, their texts, and
// the width of the time buckets of a chart.

import type { Zone } from "../../../../lib/time/index.ts";
import { spanText } from "../../panes/time/zoned-time.ts";
import { english, t } from "../../text/translate.ts";

/**
 * A time range: the last `last` milliseconds up to now, or the time from `from` to `to`, in milliseconds since 1970.
 */
export type TimeRange = { readonly last: number } | { readonly from: number; readonly to: number };

export interface Span {
  readonly from: number;
  readonly to: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The time ranges up to now that the user can choose. */
export const lastRanges: readonly { readonly ms: number; readonly text: string }[] = [
  { ms: 5 * minute, text: english("last 5 minutes") },
  { ms: 15 * minute, text: english("last 15 minutes") },
  { ms: 30 * minute, text: english("last 30 minutes") },
  { ms: hour, text: english("last hour") },
  { ms: 3 * hour, text: english("last 3 hours") },
  { ms: 12 * hour, text: english("last 12 hours") },
  { ms: day, text: english("last 24 hours") },
  { ms: 7 * day, text: english("last 7 days") },
  { ms: 30 * day, text: english("last 30 days") },
];

/** Seconds between two refreshes; 0 when the dashboard is not refreshed. */
export const refreshes: readonly { readonly seconds: number; readonly text: string }[] = [
  { seconds: 0, text: english("off") },
  { seconds: 5, text: english("5 s") },
  { seconds: 15, text: english("15 s") },
  { seconds: 30, text: english("30 s") },
  { seconds: 60, text: english("1 min") },
  { seconds: 300, text: english("5 min") },
];

export function spanOf(range: TimeRange, now: number): Span {
  return "last" in range ? { from: now - range.last, to: now } : range;
}

/** Returns a time range as text. A start and an end that are fixed are written in the given time zone. */
export function rangeText(range: TimeRange, zone: Zone): string {
  if ("last" in range) {
    const named = lastRanges.find(({ ms }) => ms === range.last);
    return named === undefined ? t("last {n} s", { n: Math.round(range.last / 1000) }) : t(named.text);
  }
  return spanText(range.from, range.to, zone);
}

/** The widths in seconds from which the width of a chart's time buckets is chosen. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800];

/** Returns the width of a time bucket in seconds, so that the chart gets at most `points` buckets. */
export function intervalOf({ from, to }: Span, points: number): number {
  const rough = (to - from) / 1000 / points;
  return steps.find((each) => each >= rough) ?? Math.ceil(rough / 604_800) * 604_800;
}
