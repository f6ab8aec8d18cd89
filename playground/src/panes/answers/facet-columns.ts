// Chooses columns of log lines. For each chosen column, the page shows beside the log lines how often each value
// occurs.

import type { Grid } from "./cell-text.ts";

/**
 * Largest number of columns that are chosen, and of different values that such a column may have in the rows on the
 * page.
 */
const [mostColumns, mostValues] = [8, 12];
/**
 * Columns for which the page shows no counts of values, because the counts would not help the user: the message
 * itself, and columns that the platform adds to every point.
 */
const left = new Set(["time", "message", "index", "create_time", "date_ns", "time_us", "__docid", "__namespace"]);

/** Returns the names of the columns that show a key with few different values, in their order in the table. */
export function facetColumns({ columns, rows }: Grid, keys: ReadonlyMap<string, string>): string[] {
  return columns
    .filter((name, at) => {
      if (left.has(name) || !keys.has(name)) return false;
      const values = new Set<string>();
      let seen = 0;
      for (const row of rows) {
        const { kind, text } = row[at]!;
        if (kind === "nil") continue;
        if (kind !== "string" && kind !== "int" && kind !== "bool") return false;
        values.add(text);
        seen++;
        if (values.size > mostValues || text.length > 80) return false;
      }
      // When every row has a different value in a column, as in a column of ids, the counts of the values are useless.
      return seen > 0 && (values.size < seen || seen === 1);
    })
    .slice(0, mostColumns);
}
