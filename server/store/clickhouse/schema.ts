// The tables of points in ClickHouse: one for each category, shared by all workspaces and sorted by workspace. On a
// cluster each category has a replicated table on every shard, and a distributed table that sends rows to shards by
// workspace.

import { clickhouse } from "../../../lib/dql/index.ts";
import { maps } from "../../../lib/dql/sql/index.ts";
import { type CategoryName, categories } from "../../../lib/point/index.ts";

const { identifier } = clickhouse;

export interface Place {
  readonly database: string;
  /** The name of the ClickHouse cluster; empty for a single server. */
  readonly cluster: string;
}

const window = 10_000;
const numbers = "Int64 CODEC(Delta, ZSTD(1))";

const pointColumns = [
  "workspace LowCardinality(String)",
  `ts ${numbers}`,
  `seq ${numbers}`,
  "name LowCardinality(String)",
  "idx LowCardinality(String)",
  `recv ${numbers}`,
  ...Object.values(maps).map(({ column, type }) => `${column} Map(LowCardinality(String), ${type}) CODEC(ZSTD(1))`),
];

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly engine: "MergeTree" | "ReplacingMergeTree" | "ReplacingMergeTree(seq)";
  /** The SQL clause after the table's engine: the sort order and similar settings. */
  readonly order: string;
}

export function pointsTable(category: CategoryName): string {
  return `points_${category}`;
}

const tables: readonly Table[] = [
  ...categories.map(
    (category): Table => ({
      name: pointsTable(category),
      columns: pointColumns,
      engine: "MergeTree",
      order:
        `PARTITION BY toYYYYMMDD(fromUnixTimestamp64Nano(ts, 'UTC')) ` +
        `ORDER BY ${category === "metric" ? "(workspace, name, ts, seq)" : "(workspace, ts, seq)"}`,
    }),
  ),
  {
    name: "keys",
    columns: ["workspace", "category", "name", "key", "kind"].map((name) => `${name} String`),
    engine: "ReplacingMergeTree",
    order: "ORDER BY (workspace, category, name, key, kind)",
  },
  {
    // Among the rows of one object, the row with the greatest `seq` is valid. When its column `labels` is an empty
    // string, the object has no labels.
    name: "labels",
    columns: [
      ...["workspace", "id", "class", "name", "key", "value", "labels"].map((name) => `${name} String`),
      "seq Int64",
    ],
    engine: "ReplacingMergeTree(seq)",
    order: "ORDER BY (workspace, id)",
  },
  {
    name: "batches",
    columns: ["workspace String", "id String", "received Int64", "stored DateTime DEFAULT now()"],
    engine: "ReplacingMergeTree",
    order: "ORDER BY (workspace, id) TTL stored + INTERVAL 7 DAY",
  },
];

/** Returns the SQL statements that create the missing tables. */
export function schemaStatements({ database, cluster }: Place, present: ReadonlySet<string> = new Set()): string[] {
  return tables.flatMap((table) => (present.has(table.name) ? [] : tableStatements(table, database, cluster)));
}

function tableStatements({ name, columns, engine, order }: Table, database: string, cluster: string): string[] {
  const table = (each: string) => `${identifier(database)}.${identifier(each)}`;
  const create = (each: string, on: string, kind: string) =>
    `CREATE TABLE IF NOT EXISTS ${table(each)}${on} (${columns.join(", ")}) ENGINE = ${kind} ${order} SETTINGS `;
  // ClickHouse recognizes a repeated insert by the token that is sent with each insert. It remembers the tokens of
  // the last inserts; `window` is the number of tokens that it remembers.
  if (cluster === "") return [`${create(name, "", engine)}non_replicated_deduplication_window = ${window}`];
  const on = ` ON CLUSTER ${identifier(cluster)}`;
  const [text, local] = [clickhouseText, `${name}_local`];
  return [
    `${create(local, on, `Replicated${engine}`)}replicated_deduplication_window = ${window}, ` +
      "replicated_deduplication_window_seconds = 604800",
    `CREATE TABLE IF NOT EXISTS ${table(name)}${on} AS ${table(local)} ENGINE = ` +
      `Distributed(${[cluster, database, local].map(text).join(", ")}, cityHash64(workspace))`,
  ];
}

function clickhouseText(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
