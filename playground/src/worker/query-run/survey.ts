// Counts the points that a query returns: over time for the histogram, and by the values of some keys.

import type { Answered, QueryAnswer, QueryJob, Survey } from "./asking.ts";
import { queryName } from "./query-name.ts";
import { countsByKey, countsOverTime } from "./query-parts.ts";

/** Largest number of values of a key that the page lists. */
const mostValues = 10;

/**
 * Counts the points that a query returns. `ask` runs a query. `isOld` is called between two queries and returns
 * true when nobody needs the counts any more. The result is null when `isOld` returned true, and for a query
 * that does not return points themselves, because it groups or computes.
 */
export async function survey(
  { job, keys, group }: { readonly job: QueryJob; readonly keys: readonly string[]; readonly group: string },
  ask: (job: QueryJob) => Promise<QueryAnswer>,
  isOld: () => boolean,
): Promise<Survey | null> {
  const over = countsOverTime(job.text, group === "" ? "" : queryName(group));
  const histogram = over === null ? null : await counted(over, job, ask);
  if (histogram === null) return null;
  const facets: Survey["facets"][number][] = [];
  for (const key of keys) {
    // Waits, so that the worker can handle messages that arrived during the counting, such as the next query.
    await new Promise((resolve) => setTimeout(resolve, 0));
    if (isOld()) return null;
    const text = countsByKey(job.text, queryName(key));
    const found = text === null ? null : await counted(text, job, ask);
    const values = (found?.series ?? []).flatMap(({ tags, columns, rows }) => {
      const [, value = ""] = tags[0] ?? [];
      const count = Number(rows[0]?.[columns.findIndex((name) => name !== "time")]?.text ?? 0);
      return value === "" || !(count > 0) ? [] : [{ value, count }];
    });
    values.sort((a, b) => b.count - a.count);
    if (values.length > 0) facets.push({ key, values: values.slice(0, mostValues), all: values.length });
  }
  return { histogram: histogram.series, facets };
}

async function counted(
  text: string,
  job: QueryJob,
  ask: (job: QueryJob) => Promise<QueryAnswer>,
): Promise<Answered | null> {
  const answer = await ask({ ...job, text });
  return answer.kind === "answered" ? answer : null;
}
