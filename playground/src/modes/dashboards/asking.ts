// Makes the requests for a chart: its queries with the values of the variables, the time range, and the width of a time
// bucket.

import type { Question } from "../../panes/dashboards/api.ts";
import type { ChartKind } from "../../panes/dashboards/template.ts";
import { intervalOf, type Span } from "./time-range.ts";
import { fillQuery } from "./variables/fill-query.ts";

/** Largest number of time buckets of a line chart. */
const mostPoints = 180;
/** Largest number of time buckets of a bar chart, whose bars need some width. */
const mostBars = 60;
/** Largest number of rows in the answer to a query that lists rows and has no limit of its own. */
const mostRows = 200;

export interface Asked {
  readonly kind: ChartKind;
  readonly queries: readonly string[];
  /** IANA name of the time zone in which time buckets of days and weeks begin. */
  readonly zone: string;
}

export function questionsOf(
  { kind, queries, zone }: Asked,
  span: Span,
  values: Readonly<Record<string, string>>,
): readonly Question[] {
  return queries.map((text) => {
    const query = fillQuery(text, values);
    const time_range = [Math.floor(span.from), Math.ceil(span.to)] as const;
    const base = { query, time_range, ...(zone === "UTC" ? {} : { tz: zone }) };
    const points = kind === "lines" ? mostPoints : mostBars;
    if (kind === "lines" || kind === "bars" || kind === "stacked")
      return hasInterval(query) ? { ...base, max_point: points } : { ...base, interval: intervalOf(span, points) };
    const isList = kind === "logs" || kind === "table";
    return isList && !/\blimit\b/i.test(query) ? { ...base, limit: mostRows } : base;
  });
}

/**
 * Returns whether a query names the width of its time buckets, as `[1h::1m]` and `[::auto]` do. Brackets in strings and
 * names are ignored.
 */
export function hasInterval(query: string): boolean {
  const bare = query.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|#.*/g, "");
  return /\[[^[\]]*:[^[\]]*:\s*[^\s\]:]/.test(bare);
}
