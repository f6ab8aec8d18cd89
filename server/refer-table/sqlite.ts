// Reference tables in an SQLite database: what lies where, and values both ways. Both stores give the same answers, so no
// column has an affinity: numbers are equal to numbers only, texts to texts (docs/reference/function-rules.md#reference-tables).
//
// Tables and columns have names of our own, `rows_0` and `c0`, `c1`, ...; whose they are stands in the one row of
// `catalogue`. So no name of a document or a script gets into SQL, and names that differ in case only stay apart.

import Database from "libsql";
import { Float, type Integer, integer, isBytes, type PointValue } from "../../lib/point/value.ts";
import type { ColumnKind } from "../../lib/refer-table/column.ts";
import type { Known, TableHead } from "./store.ts";

export type Connection = InstanceType<typeof Database>;

/** The tables of a database by number. */
export interface Catalogue {
  /** Which URL they come from, as a digest. */
  readonly source: string;
  readonly known: Known;
  readonly tables: readonly StoredTable[];
}

export interface StoredTable extends TableHead {
  readonly id: number;
  /** Of each column, how many rows share a value on average. */
  readonly rowsPerValue: readonly number[];
}

export function connect(database: string): Connection {
  return new Database(database);
}

/** Throws when it is no database of ours. */
export function readCatalogue(connection: Connection): Catalogue {
  const [document] = connection.prepare("SELECT document FROM catalogue").raw().get([]) as [string];
  return JSON.parse(document) as Catalogue;
}

/** Bytes of the database. */
export function sizeOf(connection: Connection): number {
  const [pages] = connection.prepare("PRAGMA page_count").raw().get([]) as [number];
  const [bytes] = connection.prepare("PRAGMA page_size").raw().get([]) as [number];
  return pages * bytes;
}

/** What is bound for a value; libsql binds numbers as REAL, bigints as INTEGER. */
export type Bound = number | bigint | string | Uint8Array;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A text that holds U+0000 is kept as bytes: read as text it would end there. */
function boundText(text: string): string | Uint8Array {
  return text.includes("\0") ? encoder.encode(text) : text;
}

/** For a value of a column. */
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

/** For a value that is looked up: undefined when no cell of the column can be equal to it. */
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

/** What SQLite gives for a cell; NaN comes back as null. */
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
