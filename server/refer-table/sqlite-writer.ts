// Writes a set of reference tables into a new SQLite database. The database is written without a journal, because other
// threads open it only after it is complete. Every column gets an index.

import { Column, type ColumnData, type ColumnHead, type TableSink } from "../../lib/refer-table/index.ts";
import { type Bound, boundValue, type Catalogue, type Connection, type StoredTable } from "./sqlite.ts";
import type { Known } from "./store.ts";

/** Maximum number of rows in one INSERT statement. */
const rowsAtOnce = 50;

export interface DatabaseWriter {
  readonly sink: TableSink;
  /** Creates the indexes, writes the catalogue (the list of tables), and returns the tables that were written. */
  finish(source: string, known: Known): readonly StoredTable[];
}

interface Inserts {
  readonly many: ReturnType<Connection["prepare"]>;
  readonly one: ReturnType<Connection["prepare"]>;
}

export function writeDatabase(connection: Connection): DatabaseWriter {
  connection.exec(
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096; PRAGMA temp_store = FILE; BEGIN",
  );
  const tables: StoredTable[] = [];
  let id = 0;
  let rowCount = 0;
  let inserts: Inserts | null = null;
  const nextTable = () => {
    id++;
    rowCount = 0;
    inserts = null;
  };

  const sink: TableSink = {
    partRows: 2000,
    part: (columns, rows) => {
      inserts ??= createTable(connection, id, columns.length);
      insertRows(inserts, columns, rows);
      rowCount += rows;
    },
    end: (name, columns) => {
      tables.push({ id, name, rowCount, columns, rowsPerValue: indexColumns(connection, id, columns) });
      nextTable();
    },
    drop: () => {
      if (inserts !== null) connection.exec(`DROP TABLE rows_${id}`);
      nextTable();
    },
  };
  return {
    sink,
    finish: (source, known) => {
      const catalogue: Catalogue = { source, known, tables };
      connection.exec("CREATE TABLE catalogue (document)");
      connection.prepare("INSERT INTO catalogue VALUES (?)").run([JSON.stringify(catalogue)]);
      connection.exec("COMMIT");
      return tables;
    },
  };
}

function createTable(connection: Connection, id: number, width: number): Inserts {
  const columns = Array.from({ length: width }, (_, at) => `c${at}`).join();
  connection.exec(`CREATE TABLE rows_${id} (${columns})`);
  const row = `(${Array.from({ length: width }, () => "?").join()})`;
  const insert = (rows: number) =>
    connection.prepare(`INSERT INTO rows_${id} VALUES ${Array.from({ length: rows }, () => row).join()}`);
  return { many: insert(rowsPerInsert(width)), one: insert(1) };
}

/**
 * Returns the number of rows in one INSERT statement. It is limited because SQLite binds at most 32,766 values
 * in one statement.
 */
function rowsPerInsert(width: number): number {
  return Math.max(1, Math.min(rowsAtOnce, Math.floor(32_766 / width)));
}

function insertRows({ many, one }: Inserts, data: readonly ColumnData[], rows: number): void {
  const columns = data.map((each) => new Column(each));
  const atOnce = rowsPerInsert(columns.length);
  const bind = (from: number, count: number) => {
    const values: Bound[] = [];
    for (let row = from; row < from + count; row++)
      for (const column of columns) values.push(boundValue(column.value(row)));
    return values;
  };
  let row = 0;
  for (; row + atOnce <= rows; row += atOnce) many.run(bind(row, atOnce));
  for (; row < rows; row++) one.run(bind(row, 1));
}

/** Creates an index for each column. Returns for each column how many rows have the same value on average. */
function indexColumns(connection: Connection, id: number, columns: readonly ColumnHead[]): number[] {
  for (const at of columns.keys()) connection.exec(`CREATE INDEX rows_${id}_c${at} ON rows_${id} (c${at})`);
  connection.exec(`ANALYZE rows_${id}`);
  // In SQLite's table of statistics, `stat` is a text of numbers. The first is the number of rows; the second, which is
  // used here, is the average number of rows with the same value. SQLite has no statistics for a table without rows.
  const statistics = new Map(
    connection
      .prepare("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = ?")
      .raw()
      .all([`rows_${id}`]) as [string, string][],
  );
  return columns.map((_, at) => Number(statistics.get(`rows_${id}_c${at}`)?.split(" ")[1] ?? 0));
}
