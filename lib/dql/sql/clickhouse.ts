// The SQL dialect of ClickHouse. A table stores the keys of points in map columns, one for each type of value. A new
// key therefore does not change the table, and many writers may write to a table at the same time.

import { decodeBase64 } from "../../text/base64.ts";
import type { KeyKind } from "../evaluate/engine.ts";
import type { Dialect, ValueReader } from "./dialect.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import type { StoredColumn } from "./stored-column.ts";

/**
 * The name of the map column for each type of value, and the SQL type of its values. Bytes are stored as base64, arrays
 * as JSON.
 */
export const maps: Readonly<Record<KeyKind | "tag", { readonly column: string; readonly type: string }>> = {
  tag: { column: "tags", type: "String" },
  int: { column: "ints", type: "Int64" },
  uint: { column: "uints", type: "UInt64" },
  float: { column: "floats", type: "Float64" },
  bool: { column: "bools", type: "Bool" },
  string: { column: "strings", type: "String" },
  binary: { column: "binaries", type: "String" },
  array: { column: "arrays", type: "String" },
};

/**
 * Largest number of keys of one map that a query reads one by one. When it needs more keys, it reads the whole
 * map.
 */
const fewKeys = 8;

const identifier = (name: string) => `\`${name.replace(/[\\`]/g, "\\$&")}\``;
const mapOf = ({ kind }: StoredColumn): string => maps[kind ?? "tag"].column;

function value(column: StoredColumn): Fragment {
  const map = raw(mapOf(column));
  // For a missing key, a map returns 0 or the empty string instead of null, so the query checks whether the key exists.
  return sql`if(mapContains(${map}, ${column.key}), ${map}[${column.key}], NULL)`;
}

function reader(columns: readonly StoredColumn[]): ValueReader {
  const select: Fragment[] = [];
  const reads: ((found: unknown, addValue: (column: StoredColumn, value: unknown) => void) => void)[] = [];
  for (const map of new Set(columns.map(mapOf))) {
    const own = columns.filter((column) => mapOf(column) === map);
    if (own.length <= fewKeys) {
      for (const column of own) {
        select.push(value(column));
        reads.push((found, addValue) => {
          if (found !== null) addValue(column, stored(column, found));
        });
      }
      continue;
    }
    const byKey = new Map(own.map((column) => [column.key, column]));
    select.push(raw(map));
    reads.push((found, addValue) => {
      for (const [key, each] of found as ReadonlyMap<string, unknown>) {
        const column = byKey.get(key);
        if (column !== undefined) addValue(column, stored(column, each));
      }
    });
  }
  return {
    select,
    read: (row, from, addValue) => {
      for (const [at, read] of reads.entries()) read(row[from + at], addValue);
    },
  };
}

function stored({ kind }: StoredColumn, found: unknown): unknown {
  return kind === "binary" ? decodeBase64(new TextEncoder().encode(found as string)) : found;
}

const double = (number: Fragment) => sql`toFloat64(${number})`;
const wide = (number: Fragment) => sql`toInt128(${number})`;

/** The SQL dialect of ClickHouse. */
export const clickhouse: Dialect = {
  identifier,
  value,
  reader,

  double,
  wide,
  whole: (number) => sql`${number}`,
  text: (other) => sql`toString(${other})`,
  nothing: (type) => raw(`CAST(NULL AS Nullable(${type === "number" ? "Float64" : "String"}))`),

  isNan: (number) => sql`isNaN(${number})`,
  contains: (text, part) => sql`position(${text}, ${part}) > 0`,
  containsAnyCase: (text, part) => sql`position(lowerUTF8(${text}), ${part}) > 0`,
  like: (text, pattern) => sql`${text} LIKE ${pattern}`,
  // In ClickHouse `.` also matches a line end. The flag `(?-s)` prevents this.
  matches: (text, pattern, where) =>
    sql`match(${text}, ${where === "whole" ? `(?-s)^(?:${pattern})$` : `(?-s)${pattern}`})`,

  quotient: (dividend, divisor) => sql`intDiv(${dividend}, ${raw(String(divisor))})`,
  countDistinct: (each) => sql`uniqExact(${each})`,
  // Integers are summed with 128 bits, because sums with 64 bits would overflow.
  sum: (number, isWhole) => sql`sum(${isWhole ? wide(number) : number})`,
  average: (number, isWhole) =>
    isWhole ? sql`${double(sql`sum(${wide(number)})`)} / count(${number})` : sql`avg(${number})`,
  percentile: (number, share) => sql`quantileExactInclusive(${raw(String(share))})(${double(number)})`,
  deviation: (number) => sql`if(count(${number}) < 2, NULL, stddevSampStable(${double(number)}))`,
  choosesByMoment: false,
  chosen: (choice, each, order) =>
    sql`${raw(choice === "first" ? "argMinIf" : "argMaxIf")}(${each}, (${joined(order, ", ")}), ${each} IS NOT NULL)`,
  chosenTime: (choice, each, time) =>
    sql`${raw(choice === "first" ? "minIf" : "maxIf")}(toNullable(${time}), ${each} IS NOT NULL)`,
};
