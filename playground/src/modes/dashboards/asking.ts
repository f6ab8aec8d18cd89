// Makes the questions of a chart: its queries with the values of the variables, the time, and the width of a bucket.

import type { Question } from "./api.ts";
import type { ChartKind } from "./template.ts";
import { intervalOf, type Span } from "./time-range.ts";
import { fillQuery } from "./variables.ts";

/** Most buckets of a chart over time. */
const mostPoints = 180;
/** Most buckets of bars, which need some width to be seen. */
const mostBars = 60;
/** Most rows of a chart that lists rows and whose query names no limit. */
const mostRows = 200;

export interface Asked {
  readonly kind: ChartKind;
  readonly queries: readonly string[];
}

export function questionsOf(
  { kind, queries }: Asked,
  span: Span,
  values: Readonly<Record<string, string>>,
): readonly Question[] {
  return queries.map((text) => {
    const query = fillQuery(text, values);
    const base = { query, time_range: [Math.floor(span.from), Math.ceil(span.to)] as const };
    const points = kind === "lines" ? mostPoints : mostBars;
    if (kind === "lines" || kind === "bars" || kind === "stacked")
      return hasInterval(query) ? { ...base, max_point: points } : { ...base, interval: intervalOf(span, points) };
    const isList = kind === "logs" || kind === "table";
    return isList && !/\blimit\b/i.test(query) ? { ...base, limit: mostRows } : base;
  });
}

/** Whether the brackets of a statement name an interval, as `[1h::1m]` and `[::auto]` do. Texts and names do not count. */
export function hasInterval(query: string): boolean {
  const bare = query.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|#.*/g, "");
  return /\[[^[\]]*:[^[\]]*:\s*[^\s\]:]/.test(bare);
}
