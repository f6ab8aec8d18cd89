// A DQL engine over points in DuckDB in a browser tab. It uses only functions of DuckDB's core: other functions are in
// extensions, which would have to be downloaded from another host.

import { AsyncDuckDB, type AsyncDuckDBConnection, VoidLogger } from "@duckdb/duckdb-wasm";
import type { Engine, StoredKey } from "../../lib/dql/index.ts";
import { arrayText } from "../../lib/dql/sql/array-text.ts";
import type { Catalog } from "../../lib/dql/sql/catalog.ts";
import { duckdb } from "../../lib/dql/sql/duckdb.ts";
import { sqlEngine } from "../../lib/dql/sql/engine.ts";
import { type Fragment, type Parameter, written } from "../../lib/dql/sql/fragment.ts";
import type { ResultRow } from "../../lib/dql/sql/rows.ts";
import type { StoredColumn } from "../../lib/dql/sql/stored-column.ts";
import type { CategoryName, ColumnKind, ColumnUse, Encodable, Millrace } from "../../lib/index.ts";
import { arrowTable, resultRows } from "./duckdb-arrow.ts";

/** URLs of the files of one DuckDB build: its worker and its WebAssembly module. */
export interface DuckFiles {
  readonly worker: string | URL;
  readonly module: string | URL;
}

const types: Readonly<Record<ColumnKind, string>> = {
  ...{ tag: "VARCHAR", int: "BIGINT", uint: "UBIGINT", float: "DOUBLE" },
  ...{ string: "VARCHAR", bool: "BOOLEAN", binary: "BLOB", array: "VARCHAR" },
};
const fixedTypes = "ts BIGINT, seq BIGINT, name VARCHAR, idx VARCHAR, recv BIGINT";
const chunkRows = 2048;

export class BrowserPoints {
  private readonly worker: Worker;
  private readonly database: AsyncDuckDB;
  private readonly connection: AsyncDuckDBConnection;
  private readonly mill: Pick<Millrace, "columnsUsed" | "columnChunks">;
  private readonly columns = new Map<CategoryName, Map<string, StoredColumn>>();
  private readonly keys = new Map<CategoryName, Map<string, StoredKey>>();
  private sequence = 0n;

  private constructor(
    worker: Worker,
    database: AsyncDuckDB,
    connection: AsyncDuckDBConnection,
    mill: Pick<Millrace, "columnsUsed" | "columnChunks">,
  ) {
    this.worker = worker;
    this.database = database;
    this.connection = connection;
    this.mill = mill;
  }

  static async open(
    { worker: script, module }: DuckFiles,
    mill: Pick<Millrace, "columnsUsed" | "columnChunks">,
  ): Promise<BrowserPoints> {
    const worker = new Worker(script);
    const database = new AsyncDuckDB(new VoidLogger(), worker);
    await database.instantiate(String(module));
    const connection = await database.connect();
    for (const setting of ["autoinstall_known_extensions", "autoload_known_extensions", "enable_external_access"])
      await connection.query(`SET ${setting} = false`);
    return new BrowserPoints(worker, database, connection, mill);
  }

  /** Adds points of one category. The caller must not change the points until the promise resolves. */
  async load(category: CategoryName, points: Encodable, { index = "default", received = 0n } = {}): Promise<void> {
    await this.grow(category, this.mill.columnsUsed(points));
    const known = this.columns.get(category)!;
    for (const chunk of this.mill.columnChunks(points, { rows: chunkRows, arrayText })) {
      const columns = chunk.columns.map((column) => ({ name: known.get(columnId(column))!.column, column }));
      const table = arrowTable(chunk, columns, { sequence: this.sequence, index, received });
      this.sequence += BigInt(chunk.rows);
      await this.connection.insertArrowTable(table, { name: "incoming", create: true });
      await this.connection.query(`INSERT INTO p_${category} BY NAME SELECT * FROM incoming`);
      await this.connection.query("DROP TABLE incoming");
    }
  }

  /** Creates the category's table when it is missing, and columns for new keys. */
  private async grow(category: CategoryName, uses: readonly ColumnUse[]): Promise<void> {
    let columns = this.columns.get(category);
    if (columns === undefined) {
      await this.connection.query(`CREATE TABLE p_${category} (${fixedTypes})`);
      this.columns.set(category, (columns = new Map()));
      this.keys.set(category, new Map());
    }
    const keys = this.keys.get(category)!;
    for (const use of uses) {
      const kind = use.kind === "tag" ? null : use.kind;
      const id = columnId(use);
      if (!columns.has(id)) {
        const column = `c${columns.size}`;
        await this.connection.query(`ALTER TABLE p_${category} ADD COLUMN ${column} ${types[use.kind]}`);
        columns.set(id, { key: use.key, kind, column });
      }
      for (const name of use.names) keys.set(JSON.stringify([name, id]), { name, key: use.key, kind });
    }
  }

  engine(): Engine {
    const catalog: Catalog = {
      dialect: duckdb,
      owned: null,
      table: (category) => `p_${category}`,
      columns: (category) => [...(this.columns.get(category)?.values() ?? [])],
    };
    return sqlEngine({
      name: "duckdb",
      catalog,
      run: (statement) => this.run(statement),
      exceeded: (error) => error instanceof Error && error.message.includes("Out of Range Error"),
      has: (category) => this.columns.has(category),
      keys: async (category) => [...(this.keys.get(category)?.values() ?? [])],
      labels: async () => [],
    });
  }

  private async run(statement: Fragment): Promise<ResultRow[]> {
    const prepared = await this.connection.prepare(written(statement, placeholder));
    try {
      return resultRows(await prepared.query(...statement.parameters.map(parameterValue)));
    } finally {
      await prepared.close();
    }
  }

  /** Runs an SQL statement as it is and returns the rows of the answer. */
  async query(text: string): Promise<ResultRow[]> {
    return resultRows(await this.connection.query(text));
  }

  async close(): Promise<void> {
    await this.connection.close();
    await this.database.terminate();
    this.worker.terminate();
  }
}

function columnId({ key, kind }: { readonly key: string; readonly kind: ColumnKind }): string {
  return JSON.stringify([kind, key]);
}

/**
 * Returns the SQL placeholder for a parameter. Parameters are sent to DuckDB as JSON, which has no 64-bit integers. So
 * integers are sent as strings, and the placeholder casts them to numbers.
 */
function placeholder(value: Parameter): string {
  if (typeof value === "bigint") return "CAST(? AS BIGINT)";
  return typeof value === "number" ? "CAST(? AS DOUBLE)" : "?";
}

function parameterValue(value: Parameter): string | boolean {
  return typeof value === "boolean" ? value : String(value);
}
