// Looks up rows in a finished, read-only SQLite database of reference tables.

import { Key, type PointValue } from "../../lib/point/index.ts";
import type { Cell, TableLookup } from "../../lib/refer-table/index.ts";
import type { StoredTable } from "./sqlite.ts";
import {
  type Bound,
  boundQuestion,
  type Connection,
  connect,
  type Given,
  givenValue,
  readCatalogue,
} from "./sqlite.ts";

export interface SqliteLookup extends TableLookup {
  close(): void;
}

interface Statement {
  get(values: readonly Bound[]): Given[] | undefined;
}

interface Table extends StoredTable {
  readonly keys: readonly Key[];
  readonly positions: ReadonlyMap<string, number>;
  /** Prepared SQL statements, keyed by the indexes of the columns in their condition. */
  readonly statements: Map<string, Statement>;
}

/**
 * Maximum number of prepared SQL statements in the cache of a table. It is limited, because a script can look up any
 * combination of columns.
 */
const statementsKept = 256;

/**
 * Opens a database of reference tables. Throws when the database is missing or was not written by Millrace. `onFailure`
 * is called with a message when SQLite cannot look up a row, for example when a disk fails; the look-up then finds
 * nothing.
 */
export function openLookup(database: string, onFailure: (message: string) => void): SqliteLookup {
  const connection = connect(database);
  connection.exec("PRAGMA query_only = ON; PRAGMA cache_size = -4096");
  const tables = new Map<string, Table>();
  for (const table of readCatalogue(connection).tables) {
    const { columns } = table;
    tables.set(table.name, {
      ...table,
      keys: columns.map(({ name }) => new Key(name)),
      positions: new Map(columns.map(({ name }, at) => [name, at])),
      statements: new Map(),
    });
  }
  return {
    find: (name, columns, values) => {
      const table = tables.get(name);
      if (table === undefined || columns.length === 0 || columns.length !== values.length) return null;
      try {
        return firstRow(connection, table, columns, values);
      } catch (error) {
        onFailure((error as Error).message);
        return null;
      }
    },
    close: () => connection.close(),
  };
}

function firstRow(
  connection: Connection,
  table: Table,
  names: readonly string[],
  values: readonly PointValue[],
): Cell[] | null {
  const positions: number[] = [];
  const bound: Bound[] = [];
  for (const [at, name] of names.entries()) {
    const position = table.positions.get(name);
    if (position === undefined) return null;
    const value = boundQuestion(table.columns[position].kind, values[at]);
    if (value === undefined) return null;
    positions.push(position);
    bound.push(value);
  }
  const row = statementFor(connection, table, positions).get(bound);
  if (row === undefined) return null;
  return table.columns.map(({ kind }, at) => ({ key: table.keys[at], value: givenValue(kind, row[at]) }));
}

function statementFor(connection: Connection, { id, rowsPerValue, statements }: Table, positions: readonly number[]) {
  const name = positions.join();
  let statement = statements.get(name);
  if (statement === undefined) {
    if (statements.size >= statementsKept) statements.clear();
    const rarest = positions.reduce((best, each) => (rowsPerValue[each] < rowsPerValue[best] ? each : best));
    const where = positions.map((position) => `c${position} = ?`).join(" AND ");
    // An index lists rows with equal values in the order of the table. So the first match in the index is the first row
    // of the table.
    const text = `SELECT * FROM rows_${id} INDEXED BY rows_${id}_c${rarest} WHERE ${where} LIMIT 1`;
    statement = connection.prepare(text).safeIntegers(true).raw(true) as unknown as Statement;
    statements.set(name, statement);
  }
  return statement;
}
