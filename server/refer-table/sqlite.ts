// The format of reference tables in an SQLite database, and the conversion of values in both directions. A
// look-up in SQLite must find the same rows as a look-up in tables in memory. So no column has a type affinity:
// numbers are equal only to numbers, strings only to strings
// (docs/reference/function-rules.md#reference-tables). Tables and columns have generated names: `rows_0` for a
// table, and `c0`, `c1` and so on for its columns. The table `catalogue` has a single row, which maps these
// names to the names in the downloaded document. So names from a document or a script never become part of SQL,
// and names that differ only in case stay different.

import Database from "libsql";
import { Float, type PointValue } from "../../lib/point/index.ts";
import type { ColumnKind } from "../../lib/refer-table/index.ts";
import { type Integer, integer, isBytes } from "../../lib/text/index.ts";
import type { Known, TableHead } from "./store.ts";

export type Connection = InstanceType<typeof Database>;

/** The list of tables in a database. `id` is the number in the generated name of a table. */
export interface Catalogue {
  /** A digest of the URL from which the tables were downloaded. */
  readonly source: string;
  readonly known: Known;
  readonly tables: readonly StoredTable[];
}

export interface StoredTable extends TableHead {
  readonly id: number;
  /** For each column, the average number of rows that have the same value. */
  readonly rowsPerValue: readonly number[];
}

export function connect(database: string): Connection {
  return new Database(database);
}

/** Reads the catalogue (the list of tables). Throws when the database was not written by Millrace. */
export function readCatalogue(connection: Connection): Catalogue {
  const [document] = connection.prepare("SELECT document FROM catalogue").raw().get([]) as [string];
  return JSON.parse(document) as Catalogue;
}

/** Returns the size of the SQLite database in bytes. */
export function sizeOf(connection: Connection): number {
  const [pages] = connection.prepare("PRAGMA page_count").raw().get([]) as [number];
  const [bytes] = connection.prepare("PRAGMA page_size").raw().get([]) as [number];
  return pages * bytes;
}

/** A value as it is bound to an SQL statement. libsql binds numbers as REAL, bigints as INTEGER. */
export type Bound = number | bigint | string | Uint8Array;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Returns the bytes of a string that contains U+0000, because SQLite would return only the part of the string before
 * U+0000. Returns any other string unchanged.
 */
function boundText(text: string): string | Uint8Array {
  return text.includes("\0") ? encoder.encode(text) : text;
}

/** Converts a cell of a reference table for the SQL statement that stores the cell. */
export function boundValue(value: PointValue): Bound {
  switch (typeof value) {
    case "number":
    case "boolean":
      return BigInt(value);
    case "bigint":
      return value;
    default:
      return value instanceof Float ? value.value : boundText(String(value));
  }
}

/**
 * Converts a value for an SQL statement that looks up the cells of a column that are equal to the value. Returns
 * undefined when no cell of the column can be equal to the value.
 */
export function boundQuestion(kind: ColumnKind, value: PointValue): Bound | undefined {
  switch (kind) {
    case "bool":
      return typeof value === "boolean" ? BigInt(value) : undefined;
    case "string":
      return typeof value === "string" || isBytes(value) ? boundText(value.toString()) : undefined;
    case "int":
      return boundNumber(value);
    case "float": {
      const number = boundNumber(value);
      return number === undefined ? undefined : Number(number);
    }
  }
}

function boundNumber(value: PointValue): Integer | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof Float ? value.value : undefined;
}

/** A cell as SQLite returns it. SQLite stores NaN as null. */
export type Given = bigint | number | string | ArrayBuffer | null;

export function givenValue(kind: ColumnKind, given: Given): PointValue {
  switch (kind) {
    case "int":
      return integer(given as bigint);
    case "float":
      return new Float(given === null ? Number.NaN : Number(given));
    case "bool":
      return given === 1n;
    case "string":
      return typeof given === "string" ? given : decoder.decode(given as ArrayBuffer);
  }
}
