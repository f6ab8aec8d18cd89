// Exports all points of a workspace and category from a snapshot of a store (snapshot.ts): into a file that DuckDB
// writes, or as a stream of points.

import path from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type Fragment, fixedColumns as fixed, type StoredColumn } from "../../../../lib/dql/index.ts";
import { joined, raw, sql, written } from "../../../../lib/dql/sql/index.ts";
import { type CategoryName, type ColumnKind, Float, Key, Point, type PointValue, Uint } from "../../../../lib/index.ts";
import { categories } from "../../../../lib/point/index.ts";
import { settings } from "../../database.ts";
import { plainValue } from "../../readers.ts";
import { quoted } from "../layout.ts";
import { openState } from "../open.ts";
import { literal } from "../pack.ts";
import { allOf, WorkspaceCatalog } from "../relation.ts";
import { type StoreOptions, StoreState } from "../state.ts";

/** The points to export. Times are ns since 1970, both inclusive. */
export interface Selection {
  readonly workspace: string;
  readonly category: CategoryName;
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Maximum number of columns for keys (tags and fields) in an exported file. With more keys, all values of one type
 * share a map column.
 */
const mostColumns = 1000;

export class Exporter {
  private readonly state: StoreState;
  private readonly connection: DuckDBConnection;

  private constructor(state: StoreState, connection: DuckDBConnection) {
    this.state = state;
    this.connection = connection;
  }

  /** Opens a snapshot. `warn` is called with a message about each damaged file in the snapshot. */
  static async open(snapshot: string, mill: StoreOptions["mill"], warn: (line: string) => void): Promise<Exporter> {
    const events = { info: () => {}, warn, lost: () => {}, problem: () => {} };
    const state = new StoreState({ folder: snapshot, memoryLimit: "", now: Date.now, mill, events });
    // The DuckDB instance for exports may write files anywhere, because an exported file lies outside of the store's
    // folder. An instance that `openDatabase` opens may write only inside the store's folder.
    state.instance = await DuckDBInstance.create(":memory:", {
      ...settings,
      temp_directory: path.join(snapshot, "temporary"),
    });
    const connection = await state.instance.connect();
    (await openState(state, connection)).close();
    return new Exporter(state, connection);
  }

  /** Yields each pair of a workspace and a category that has points in the snapshot. */
  *contents(): Iterable<Pick<Selection, "workspace" | "category">> {
    for (const category of categories)
      for (const [workspace] of this.state.keys.entries(category)) yield { workspace, category };
  }

  /** Writes the points to a file in which each key (tag or field) has a column. Returns the number of points. */
  async writeFile(selection: Selection, format: "parquet" | "csv", file: string): Promise<number> {
    const { catalog, columns, where } = this.relation(selection);
    const names = new Names(["name", "time", "index"]);
    const value = (column: Fragment, kind: ColumnKind) =>
      format === "csv" && kind === "binary" ? sql`base64(${column})` : column;
    const kinds = [...new Set(columns.map(kindOf))];
    const values =
      columns.length > mostColumns
        ? kinds.map((kind) => sql`${raw(quoted(allOf(kind)))} AS ${raw(quoted(names.next(`${kind}_values`, kind)))}`)
        : columns.map((column) => {
            const name = raw(quoted(names.next(column.key, kindOf(column))));
            return sql`${value(raw(quoted(column.column)), kindOf(column))} AS ${name}`;
          });
    const fixedColumns = [
      raw(`${fixed.name} AS name`),
      raw(`${fixed.time} AS time`),
      ...(selection.category === "logging" ? [raw(`${fixed.index} AS "index"`)] : []),
    ];
    const statement = catalog.written(sql`SELECT ${joined([...fixedColumns, ...values], ", ")} ${where}`, (category) =>
      this.state.sourcesOf(category),
    );
    const options = format === "csv" ? "FORMAT csv, HEADER" : "FORMAT parquet, COMPRESSION zstd";
    const copied = await this.connection.runAndReadAll(
      `COPY (${withLiterals(statement)}) TO ${literal(file)} (${options})`,
    );
    return Number(copied.getRows()[0]![0]);
  }

  /**
   * Yields the points in arrays of a few thousand. Binary values are converted to base64 strings, and arrays to JSON
   * strings; `asText` is called for each converted value.
   */
  async *points(selection: Selection, asText: () => void): AsyncIterable<readonly Point[]> {
    const { catalog, columns, where } = this.relation(selection);
    const reader = catalog.dialect.reader(columns);
    const select = joined([raw(`${fixed.name}, ${fixed.time}`), ...reader.select], ", ");
    const statement = catalog.written(sql`SELECT ${select} ${where}`, (category) => this.state.sourcesOf(category));
    const keys = new Map(columns.map((column) => [column, new Key(column.key)]));
    const result = await this.connection.stream(withLiterals(statement));
    for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk())
      yield chunk.getRows().map((row) => {
        const plain = row.map(plainValue);
        const point = new Point(plain[0] as string, plain[1] as bigint);
        reader.read(plain, 2, (column, value) => setValue(point, keys.get(column)!, column.kind, { value, asText }));
        return point;
      });
  }

  private relation({ workspace, category, from, to }: Selection) {
    const { state } = this;
    const catalog = new WorkspaceCatalog(state.keys, { id: workspace, number: state.workspaceNumber(workspace) });
    const table = catalog.table(category, { start: from, end: to });
    const columns = catalog.columns(category);
    const where = sql`FROM ${raw(table)} WHERE ${raw(`${fixed.time} >= ${from} AND ${fixed.time} <= ${to}`)}`;
    return { catalog, columns, where };
  }

  async close(): Promise<void> {
    for (const log of this.state.logs.values()) await log.close();
    this.state.registry.close();
    this.connection.closeSync();
    this.state.instance.closeSync();
  }
}

function kindOf({ kind }: StoredColumn): ColumnKind {
  return kind ?? "tag";
}

function setValue(
  point: Point,
  key: Key,
  kind: StoredColumn["kind"],
  { value, asText }: { readonly value: unknown; readonly asText: () => void },
): void {
  if (kind === null) point.setTag(key, value as string);
  else point.setField(key, fieldOf(kind, value));
  if (kind === "binary" || kind === "array") asText();
}

function fieldOf(kind: NonNullable<StoredColumn["kind"]>, value: unknown): PointValue {
  switch (kind) {
    case "int":
      return integer(value as bigint);
    case "uint":
      return new Uint(integer(value as bigint));
    case "float":
      return new Float(value as number);
    case "binary":
      return Buffer.from(value as Uint8Array).toString("base64");
    default:
      return value as string | boolean;
  }
}

function integer(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

function withLiterals(statement: Fragment): string {
  return written(statement, (value) => (typeof value === "string" ? `(${literal(value)})` : String(value)));
}

/** Makes column names for keys. The names contain no control characters, and no two names differ only in case. */
class Names {
  private readonly taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.taken = new Set(taken);
  }

  next(key: string, kind: ColumnKind): string {
    const plain = key.replace(/[\u0000-\u001f\u007f]/g, "\ufffd");
    for (let number = 0; ; number++) {
      const name = number === 0 ? plain : `${plain}:${kind}${number === 1 ? "" : `_${number}`}`;
      if (this.taken.has(name.toLowerCase()) || name === "") continue;
      this.taken.add(name.toLowerCase());
      return name;
    }
  }
}
