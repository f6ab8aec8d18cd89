// The SQL dialect of DuckDB, in Node and in browsers. It uses only functions of DuckDB's core, because
// extensions would have to be downloaded. A table has a separate column for each pair of key and type.

import type { Dialect } from "./dialect.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import type { StoredColumn } from "./stored-column.ts";

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;
const value = ({ column }: StoredColumn): Fragment => raw(identifier(column));
const wide = (number: Fragment) => sql`CAST(${number} AS HUGEINT)`;

/** The SQL dialect of DuckDB. */
export const duckdb: Dialect = {
  identifier,
  value,
  reader: (columns) => ({
    select: columns.map(value),
    read: (row, from, addValue) => {
      for (const [at, column] of columns.entries()) {
        const found = row[from + at];
        if (found !== null && found !== undefined) addValue(column, found);
      }
    },
  }),

  double: (number) => sql`CAST(${number} AS DOUBLE)`,
  wide,
  whole: (number) => (BigInt.asIntN(64, number) === number ? sql`${number}` : wide(raw(`'${number}'`))),
  text: (other) => sql`CAST(${other} AS VARCHAR)`,
  nothing: (type) => raw(`CAST(NULL AS ${type === "number" ? "DOUBLE" : "VARCHAR"})`),

  isNan: (number) => sql`isnan(${number})`,
  contains: (text, part) => sql`contains(${text}, ${part})`,
  containsAnyCase: (text, part) => sql`contains(lower(${text}), ${part})`,
  like: (text, pattern) => sql`${text} LIKE ${pattern} ESCAPE '\\'`,
  matches: (text, pattern, where) =>
    where === "whole" ? sql`regexp_full_match(${text}, ${pattern})` : sql`regexp_matches(${text}, ${pattern})`,

  quotient: (dividend, divisor) => sql`(${dividend} // ${raw(String(divisor))})`,
  countDistinct: (each) => sql`count(DISTINCT ${each})`,
  sum: (number) => sql`sum(${number})`,
  average: (number) => sql`avg(${number})`,
  percentile: (number, share) => sql`quantile_cont(CAST(${number} AS DOUBLE), ${share})`,
  deviation: (number) => sql`stddev_samp(${number})`,
  choosesByMoment: true,
  chosen: (choice, each, order) =>
    sql`${raw(choice === "first" ? "arg_min" : "arg_max")}(${each}, ${order.length === 1 ? order[0]! : sql`(${joined(order, ", ")})`}) FILTER (${each} IS NOT NULL)`,
  chosenTime: (choice, each, time) =>
    sql`${raw(choice === "first" ? "min" : "max")}(${time}) FILTER (${each} IS NOT NULL)`,
};
