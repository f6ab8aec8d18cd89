// The tables of one workspace: a schema of its own, a table for each category, a column for each key and kind of its points. Columns
// are made when a key is first seen; which key is which column is kept in a table, too.

import type { DuckDBConnection } from "@duckdb/node-api";
import type { StoredKey } from "../../lib/dql/engine.ts";
import { type Catalog, fixed } from "../../lib/dql/sql/catalog.ts";
import { duckdb } from "../../lib/dql/sql/duckdb.ts";
import type { StoredColumn } from "../../lib/dql/sql/stored-column.ts";
import type { ColumnKind, ColumnUse } from "../../lib/index.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import { maxKeys, TooManyKeys } from "./points-database.ts";

const types: Readonly<Record<ColumnKind, string>> = {
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
    await connection.run(
      `CREATE TABLE IF NOT EXISTS ${schema}.labels (id VARCHAR PRIMARY KEY, class VARCHAR, name VARCHAR, key VARCHAR, value VARCHAR, labels VARCHAR)`,
    );
    const known = await connection.runAndReadAll(
      `SELECT category, key, kind, col FROM ${schema}.keys ORDER BY category, CAST(col[2:] AS INTEGER)`,
    );
    for (const [category, key, kind, column] of known.getRows() as [CategoryName, string, ColumnKind, string][]) {
      tables.know(category, { key, kind: kind === "tag" ? null : kind, column });
    }
    const names = await connection.runAndReadAll(`SELECT category, name, key, kind FROM ${schema}.names`);
    for (const [category, name, key, kind] of names.getRows() as [CategoryName, string, string, ColumnKind][]) {
      tables.names.set(nameKey(category, name, key, kind), { name, key, kind: kind === "tag" ? null : kind });
    }
    const present = await connection.runAndReadAll("SELECT table_name FROM duckdb_tables() WHERE schema_name = ?", [
      schema,
    ]);
    for (const [table] of present.getRows() as [string][])
      if (table.startsWith("p_")) tables.made.add(table.slice(2) as CategoryName);
    return tables;
  }

  /** Those of all workspaces. */
  static async schemas(connection: DuckDBConnection): Promise<readonly string[]> {
    const found = await connection.runAndReadAll(
      "SELECT schema_name FROM duckdb_schemas() WHERE database_name = current_database() AND starts_with(schema_name, 'w_')",
    );
    return (found.getRows() as [string][]).map(([schema]) => schema);
  }

  /** The highest number of a point, -1 where there is none. */
  async lastSequence(connection: DuckDBConnection): Promise<bigint> {
    let last = -1n;
    for (const category of this.made) {
      const found = await connection.runAndReadAll(`SELECT max(${fixed.sequence}) FROM ${this.table(category)}`);
      const highest = found.getRows()[0]![0] as bigint | null;
      if (highest !== null && highest > last) last = highest;
    }
    return last;
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

  get labels(): string {
    return `${this.schema}.labels`;
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

  column(category: CategoryName, key: string, kind: ColumnKind): StoredColumn | undefined {
    return this.byKey.get(columnKey(category, key, kind));
  }

  /** Of a column that is there: its place behind the fixed ones. */
  place(category: CategoryName, key: string, kind: ColumnKind): number {
    return Number(this.column(category, key, kind)!.column.slice(1));
  }

  /** Kinds of the category's columns behind the fixed ones, in their order. */
  kinds(category: CategoryName): readonly ColumnKind[] {
    return this.columns(category).map(({ kind }) => kind ?? "tag");
  }

  /** Makes table and columns for keys that are new, all or none, and remembers which names have which keys. */
  async grow(connection: DuckDBConnection, category: CategoryName, uses: readonly ColumnUse[]): Promise<void> {
    const columns = uses.filter(({ key, kind }) => this.column(category, key, kind) === undefined);
    const names = uses.flatMap(({ key, kind, names: all }) =>
      all.filter((name) => !this.names.has(nameKey(category, name, key, kind))).map((name) => ({ name, key, kind })),
    );
    if (this.made.has(category) && columns.length === 0 && names.length === 0) return;
    const count = this.columns(category).length;
    const [first] = columns.slice(maxKeys - count);
    if (first !== undefined)
      throw new TooManyKeys(`${category} has ${maxKeys} keys at most, "${first.key}" is one too many`);
    const made = columns.map(({ key, kind }, at) => ({ key, kind, column: `c${count + at}` }));
    await connection.run("BEGIN");
    try {
      if (!this.made.has(category)) {
        const fixedColumns = Object.entries(fixedTypes).map(([name, type]) => `${name} ${type}`);
        await connection.run(`CREATE TABLE IF NOT EXISTS ${this.table(category)} (${fixedColumns.join(", ")})`);
      }
      for (const { key, kind, column } of made) {
        await connection.run(`ALTER TABLE ${this.table(category)} ADD COLUMN ${column} ${types[kind]}`);
        await connection.run(`INSERT INTO ${this.schema}.keys VALUES (?, ?, ?, ?)`, [category, key, kind, column]);
      }
      for (const { name, key, kind } of names)
        await connection.run(`INSERT INTO ${this.schema}.names VALUES (?, ?, ?, ?)`, [category, name, key, kind]);
      await connection.run("COMMIT");
    } catch (error) {
      await connection.run("ROLLBACK").catch(() => {});
      throw error;
    }
    this.made.add(category);
    for (const { key, kind, column } of made) this.know(category, { key, kind: kind === "tag" ? null : kind, column });
    for (const { name, key, kind } of names)
      this.names.set(nameKey(category, name, key, kind), { name, key, kind: kind === "tag" ? null : kind });
  }
}

function columnKey(category: CategoryName, key: string, kind: ColumnKind): string {
  return JSON.stringify([category, kind, key]);
}

function nameKey(category: CategoryName, name: string, key: string, kind: ColumnKind): string {
  return JSON.stringify([category, name, key, kind]);
}
