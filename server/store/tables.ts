// The tables of one workspace: a schema of its own, a table for each category, a column for each key and kind of its points. Columns
// are made when a key is first seen; which key is which column is kept in a table, too.

import type { DuckDBConnection } from "@duckdb/node-api";
import type { KeyKind, StoredKey } from "../../lib/dql/engine.ts";
import { type Catalog, fixed } from "../../lib/dql/sql/catalog.ts";
import { duckdb } from "../../lib/dql/sql/duckdb.ts";
import type { StoredColumn } from "../../lib/dql/sql/stored-column.ts";
import type { CategoryName } from "../../lib/point/category.ts";

const types: Readonly<Record<KeyKind | "tag", string>> = {
  int: "BIGINT",
  uint: "UBIGINT",
  float: "DOUBLE",
  bool: "BOOLEAN",
  string: "VARCHAR",
  binary: "BLOB",
  array: "VARCHAR",
  tag: "VARCHAR",
};

/** The types of the columns every table has, in their order. */
export const fixedTypes = {
  [fixed.time]: "BIGINT",
  [fixed.sequence]: "BIGINT",
  [fixed.name]: "VARCHAR",
  [fixed.index]: "VARCHAR",
  [fixed.received]: "BIGINT",
} as const;

/** Keys of one category's points; more are refused, as tables do not grow without bound. */
export const maxColumns = 10_000;

export class Tables implements Catalog {
  readonly dialect = duckdb;
  /** The tables of a workspace hold nothing else. */
  readonly owned = null;
  private readonly schema: string;
  private readonly byCategory = new Map<CategoryName, StoredColumn[]>();
  private readonly byKey = new Map<string, StoredColumn>();
  private readonly names = new Map<string, StoredKey>();
  private readonly made = new Set<CategoryName>();

  private constructor(schema: string) {
    this.schema = schema;
  }

  /** `schema`: letters, digits and `_`, made by this program. */
  static async open(connection: DuckDBConnection, schema: string): Promise<Tables> {
    const tables = new Tables(schema);
    await connection.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await connection.run(
      `CREATE TABLE IF NOT EXISTS ${schema}.keys (category VARCHAR, key VARCHAR, kind VARCHAR, col VARCHAR)`,
    );
    await connection.run(
      `CREATE TABLE IF NOT EXISTS ${schema}.names (category VARCHAR, name VARCHAR, key VARCHAR, kind VARCHAR)`,
    );
    await connection.run(`CREATE TABLE IF NOT EXISTS ${schema}.batches (id VARCHAR PRIMARY KEY, received BIGINT)`);
    const known = await connection.runAndReadAll(`SELECT category, key, kind, col FROM ${schema}.keys`);
    for (const [category, key, kind, column] of known.getRows() as [CategoryName, string, KeyKind | "tag", string][]) {
      tables.know(category, { key, kind: kind === "tag" ? null : kind, column });
    }
    const names = await connection.runAndReadAll(`SELECT category, name, key, kind FROM ${schema}.names`);
    for (const [category, name, key, kind] of names.getRows() as [CategoryName, string, string, KeyKind | "tag"][]) {
      tables.names.set(nameKey(category, name, key, kind), { name, key, kind: kind === "tag" ? null : kind });
    }
    const present = await connection.runAndReadAll("SELECT table_name FROM duckdb_tables() WHERE schema_name = ?", [
      schema,
    ]);
    for (const [table] of present.getRows() as [string][])
      if (table.startsWith("p_")) tables.made.add(table.slice(2) as CategoryName);
    return tables;
  }

  private know(category: CategoryName, column: StoredColumn): void {
    const columns = this.byCategory.get(category) ?? [];
    this.byCategory.set(category, columns);
    columns.push(column);
    this.byKey.set(columnKey(category, column.key, column.kind ?? "tag"), column);
  }

  table(category: CategoryName): string {
    return `${this.schema}.p_${category}`;
  }

  get batches(): string {
    return `${this.schema}.batches`;
  }

  columns(category: CategoryName): readonly StoredColumn[] {
    return this.byCategory.get(category) ?? [];
  }

  keys(category: CategoryName): readonly StoredKey[] {
    const prefix = JSON.stringify([category]).slice(0, -1);
    return [...this.names].filter(([key]) => key.startsWith(`${prefix},`)).map(([, stored]) => stored);
  }

  has(category: CategoryName): boolean {
    return this.made.has(category);
  }

  /** Makes sure that the table is there. */
  async ensureTable(connection: DuckDBConnection, category: CategoryName): Promise<void> {
    if (this.made.has(category)) return;
    const columns = Object.entries(fixedTypes).map(([name, type]) => `${name} ${type}`);
    await connection.run(`CREATE TABLE IF NOT EXISTS ${this.table(category)} (${columns.join(", ")})`);
    this.made.add(category);
  }

  column(category: CategoryName, key: string, kind: KeyKind | "tag"): StoredColumn | undefined {
    return this.byKey.get(columnKey(category, key, kind));
  }

  /** Makes the column of a key that is new. */
  async ensureColumn(
    connection: DuckDBConnection,
    category: CategoryName,
    key: string,
    kind: KeyKind | "tag",
  ): Promise<void> {
    if (this.column(category, key, kind) !== undefined) return;
    const count = this.columns(category).length;
    if (count >= maxColumns) throw new Error(`${category} has ${maxColumns} keys already, "${key}" is one too many`);
    const column = `c${count}`;
    await connection.run(`ALTER TABLE ${this.table(category)} ADD COLUMN IF NOT EXISTS ${column} ${types[kind]}`);
    await connection.run(`INSERT INTO ${this.schema}.keys VALUES (?, ?, ?, ?)`, [category, key, kind, column]);
    this.know(category, { key, kind: kind === "tag" ? null : kind, column });
  }

  /** Remembers that points of this name have the key. */
  async noteName(
    connection: DuckDBConnection,
    category: CategoryName,
    name: string,
    key: string,
    kind: KeyKind | "tag",
  ): Promise<void> {
    const id = nameKey(category, name, key, kind);
    if (this.names.has(id)) return;
    await connection.run(`INSERT INTO ${this.schema}.names VALUES (?, ?, ?, ?)`, [category, name, key, kind]);
    this.names.set(id, { name, key, kind: kind === "tag" ? null : kind });
  }
}

function columnKey(category: CategoryName, key: string, kind: KeyKind | "tag"): string {
  return JSON.stringify([category, kind, key]);
}

function nameKey(category: CategoryName, name: string, key: string, kind: KeyKind | "tag"): string {
  return JSON.stringify([category, name, key, kind]);
}
