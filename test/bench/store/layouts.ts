// Several table layouts for points in DuckDB. SQL fills each layout from the store's own tables, and two dashboard
// queries are run on each.

import type { CategoryName } from "../../../lib/index.ts";

export interface Layout {
  readonly name: string;
  /**
   * Returns a SELECT statement that reads points from `source`. `CREATE TABLE points AS` with this statement makes the
   * table of the layout.
   */
  select(source: string, columns: Columns): string;
  /**
   * Returns the SQL expression for the value of a tag in the table `points`. The functions `text` and `float`
   * return the SQL expression for the value of a string field or float field.
   */
  tag(key: string): string;
  text(key: string): string;
  float(key: string): string;
}

/** For each key, the name of the column in the store's table that holds the values of the key. */
export interface Columns {
  readonly tags: ReadonlyMap<string, string>;
  readonly floats: ReadonlyMap<string, string>;
  readonly ints: ReadonlyMap<string, string>;
  readonly strings: ReadonlyMap<string, string>;
}

const quoted = (text: string) => `'${text}'`;
const pairs = (columns: ReadonlyMap<string, string>, write: (key: string, column: string) => string) =>
  [...columns].map(([key, column]) => write(key, column)).join(", ");
const map = (columns: ReadonlyMap<string, string>, type: string) =>
  columns.size === 0
    ? `CAST(MAP {} AS MAP(VARCHAR, ${type}))`
    : `MAP {${pairs(columns, (key, column) => `${quoted(key)}: ${column}`)}}`;
const struct = (columns: Columns) =>
  `{${[columns.tags, columns.floats, columns.ints, columns.strings]
    .filter(({ size }) => size > 0)
    .map((each) => pairs(each, (key, column) => `${quoted(key)}: ${column}`))
    .join(", ")}}`;
const everyKey = (columns: Columns) =>
  [columns.tags, columns.floats, columns.ints, columns.strings]
    .map((each) => pairs(each, (key, column) => `${column} AS ${key}`))
    .filter((text) => text !== "")
    .join(", ");

const named = { tag: (key: string) => key, text: (key: string) => key, float: (key: string) => key };

export const layouts: readonly Layout[] = [
  {
    name: "a column for each key and kind",
    select: (source, columns) => `SELECT ts, seq, name, idx, recv, ${everyKey(columns)} FROM ${source}`,
    ...named,
  },
  {
    name: "a MAP for each kind",
    select: (source, { tags, floats, ints, strings }) =>
      `SELECT ts, seq, name, idx, recv, ${map(tags, "VARCHAR")} AS t, ${map(floats, "DOUBLE")} AS f, ${map(ints, "BIGINT")} AS i, ${map(strings, "VARCHAR")} AS s FROM ${source}`,
    tag: (key) => `t[${quoted(key)}]`,
    text: (key) => `s[${quoted(key)}]`,
    float: (key) => `f[${quoted(key)}]`,
  },
  {
    name: "one JSON text",
    select: (source, columns) => `SELECT ts, seq, name, idx, recv, to_json(${struct(columns)}) AS doc FROM ${source}`,
    tag: (key) => `(doc->>${quoted(`$.${key}`)})`,
    text: (key) => `(doc->>${quoted(`$.${key}`)})`,
    float: (key) => `CAST(doc->>${quoted(`$.${key}`)} AS DOUBLE)`,
  },
  {
    name: "one VARIANT",
    select: (source, columns) =>
      `SELECT ts, seq, name, idx, recv, CAST(${struct(columns)} AS VARIANT) AS doc FROM ${source}`,
    tag: (key) => `CAST(doc.${key} AS VARCHAR)`,
    text: (key) => `CAST(doc.${key} AS VARCHAR)`,
    float: (key) => `CAST(doc.${key} AS DOUBLE)`,
  },
];

export function statements(
  category: CategoryName,
  { tag, text, float }: Layout,
): readonly (readonly [string, string])[] {
  const minute = "ts - ts % 60000000000";
  return category === "metric"
    ? [
        [
          "avg by host and minute",
          `SELECT ${tag("host")} AS h, ${minute} AS b, avg(${float("usage_user")}) FROM points WHERE name = 'cpu' GROUP BY ALL`,
        ],
        ["max of one host", `SELECT max(${float("load")}) FROM points WHERE name = 'cpu' AND ${tag("host")} = 'web-7'`],
      ]
    : [
        [
          "count by status and minute",
          `SELECT ${text("status_code")} AS c, ${minute} AS b, count(*) FROM points WHERE name = 'nginx' GROUP BY ALL`,
        ],
        [
          "search of a text",
          `SELECT count(*) FROM points WHERE name = 'nginx' AND ${text("status")} = 'error' AND contains(lower(${text("message")}), 'payment')`,
        ],
      ];
}
