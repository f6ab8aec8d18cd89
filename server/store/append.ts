// Columns of points into a table of DuckDB: each column is one copy of memory into a vector; texts of more than 12 bytes are one call each.

import { createRequire } from "node:module";
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DOUBLE,
  type DuckDBAppender,
  DuckDBDataChunk,
  type DuckDBType,
  UBIGINT,
  VARCHAR,
} from "@duckdb/node-api";
import type { ColumnChunk, ColumnKind, PointColumn } from "../../lib/index.ts";
import { fixedTypes } from "./tables.ts";

// The vectors of the driver take one value at a time; what it is made on takes memory.
interface Bindings {
  data_chunk_get_vector(chunk: DuckDBDataChunk["chunk"], column: number): Vector;
  copy_data_to_vector(vector: Vector, at: number, from: ArrayBufferLike, start: number, bytes: number): void;
  copy_data_to_vector_validity(vector: Vector, at: number, from: ArrayBufferLike, start: number, bytes: number): void;
  vector_ensure_validity_writable(vector: Vector): void;
  vector_assign_string_element_len(vector: Vector, row: number, bytes: Uint8Array): void;
}
type Vector = { readonly __duckdb_type: "duckdb_vector" };
const bindings: Bindings = createRequire(createRequire(import.meta.url).resolve("@duckdb/node-api"))(
  "@duckdb/node-bindings",
);

/** Rows of one vector of the database. */
export const chunkRows = 2048;

/** A text as it lies in a vector: its length and, up to so many bytes, itself; else the database keeps it elsewhere. */
const textBytes = 16;
const inlineBytes = 12;

const types: Readonly<Record<ColumnKind, DuckDBType>> = {
  tag: VARCHAR,
  int: BIGINT,
  uint: UBIGINT,
  float: DOUBLE,
  string: VARCHAR,
  bool: BOOLEAN,
  binary: BLOB,
  array: VARCHAR,
};
const fixedColumns = Object.values(fixedTypes).map((type): DuckDBType => (type === "BIGINT" ? BIGINT : VARCHAR));

const texts = new Uint8Array(chunkRows * textBytes);
const textWords = new Uint32Array(texts.buffer);
const bools = new Uint8Array(chunkRows);
const numbers = new BigInt64Array(chunkRows);
const everywhere = new Uint32Array(chunkRows / 32).fill(0xffffffff);
const nowhere = new Uint32Array(chunkRows / 32);

export interface Appended {
  /** Of the first row; the next ones count up. */
  readonly sequence: bigint;
  readonly index: string;
  /** ms since 1970. */
  readonly received: bigint;
}

/** `kinds`: those of the table's columns behind the fixed ones; `places`: where a key and kind stands among them. */
export function appendChunk(
  appender: DuckDBAppender,
  kinds: readonly ColumnKind[],
  places: (column: PointColumn) => number,
  points: ColumnChunk,
  { sequence, index, received }: Appended,
): void {
  const { rows, memory } = points;
  const chunk = DuckDBDataChunk.create([...fixedColumns, ...kinds.map((kind) => types[kind])], rows);
  const vector = (place: number): Vector => bindings.data_chunk_get_vector(chunk.chunk, place);
  copyNumbers(vector(0), points.times, rows);
  for (let row = 0; row < rows; row++) numbers[row] = sequence + BigInt(row);
  copyNumbers(vector(1), numbers, rows);
  copyTexts(vector(2), points.names, everywhere, rows, memory);
  const indexBytes = new TextEncoder().encode(index);
  const indexWords = new Uint32Array(2 * rows).map((_, at) => (at % 2 === 0 ? 0 : indexBytes.length));
  copyTexts(vector(3), indexWords, everywhere, rows, indexBytes);
  copyNumbers(vector(4), numbers.fill(received, 0, rows), rows);
  const written = new Set<number>();
  for (const column of points.columns) {
    const place = fixedColumns.length + places(column);
    written.add(place);
    copyColumn(vector(place), column, rows, memory);
  }
  for (let place = fixedColumns.length; place < fixedColumns.length + kinds.length; place++) {
    if (!written.has(place)) copyPresent(vector(place), nowhere, rows);
  }
  appender.appendDataChunk(chunk);
}

function copyColumn(vector: Vector, { kind, words, present }: PointColumn, rows: number, memory: Uint8Array): void {
  switch (kind) {
    case "int":
    case "uint":
    case "float":
      copyNumbers(vector, words, rows);
      break;
    case "bool":
      for (let row = 0; row < rows; row++) bools[row] = words[2 * row]! !== 0 && isPresent(present, row) ? 1 : 0;
      bindings.copy_data_to_vector(vector, 0, bools.buffer, 0, rows);
      break;
    default:
      copyTexts(vector, words, present, rows, memory);
  }
  copyPresent(vector, present, rows);
}

function copyNumbers(vector: Vector, { buffer, byteOffset }: Uint32Array | BigInt64Array, rows: number): void {
  bindings.copy_data_to_vector(vector, 0, buffer, byteOffset, rows * 8);
}

function copyTexts(vector: Vector, words: Uint32Array, present: Uint32Array, rows: number, memory: Uint8Array): void {
  texts.fill(0, 0, rows * textBytes);
  const long: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (!isPresent(present, row)) continue;
    const length = words[2 * row + 1]!;
    if (length > inlineBytes) {
      long.push(row);
      continue;
    }
    const from = words[2 * row]!;
    const to = row * textBytes + 4;
    textWords[row * 4] = length;
    for (let at = 0; at < length; at++) texts[to + at] = memory[from + at]!;
  }
  bindings.copy_data_to_vector(vector, 0, texts.buffer, 0, rows * textBytes);
  for (const row of long) {
    const from = words[2 * row]!;
    bindings.vector_assign_string_element_len(vector, row, memory.subarray(from, from + words[2 * row + 1]!));
  }
}

function copyPresent(vector: Vector, present: Uint32Array, rows: number): void {
  bindings.vector_ensure_validity_writable(vector);
  const bytes = Math.ceil(rows / 64) * 8;
  const bits = present.byteLength >= bytes ? present : everyBit(present, bytes);
  bindings.copy_data_to_vector_validity(vector, 0, bits.buffer, bits.byteOffset, bytes);
}

/** The bits come in words of 64. */
function everyBit(present: Uint32Array, bytes: number): Uint32Array {
  const padded = new Uint32Array(bytes / 4);
  padded.set(present);
  return padded;
}

function isPresent(present: Uint32Array, row: number): boolean {
  return (present[row >>> 5]! & (1 << (row & 31))) !== 0;
}
