// Appends decoded points to a table of DuckDB. Each column is copied into DuckDB's memory as one block, but each string
// of more than 12 bytes needs one call. Rare keys (tags and fields) have no column of their own and are stored in map
// columns, each of which holds many keys.

import { createRequire } from "node:module";
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DOUBLE,
  type DuckDBAppender,
  DuckDBDataChunk,
  type DuckDBType,
  MAP,
  UBIGINT,
  UINTEGER,
  VARCHAR,
} from "@duckdb/node-api";
import type { ColumnChunk, ColumnKind, PointColumn, SparseCells } from "../../../lib/index.ts";
import { fixedTypes, type PhysicalColumn } from "./layout.ts";

// The low-level bindings of the DuckDB driver, which can copy whole blocks of memory. The driver's own classes accept
// only one value at a time.
interface Bindings {
  data_chunk_get_vector(chunk: DuckDBDataChunk["chunk"], column: number): Vector;
  copy_data_to_vector(vector: Vector, at: number, from: ArrayBufferLike, start: number, bytes: number): void;
  copy_data_to_vector_validity(vector: Vector, at: number, from: ArrayBufferLike, start: number, bytes: number): void;
  vector_ensure_validity_writable(vector: Vector): void;
  vector_assign_string_element_len(vector: Vector, row: number, bytes: Uint8Array): void;
  list_vector_get_child(vector: Vector): Vector;
  list_vector_reserve(vector: Vector, size: number): void;
  list_vector_set_size(vector: Vector, size: number): void;
  struct_vector_get_child(vector: Vector, place: number): Vector;
}
type Vector = { readonly __duckdb_type: "duckdb_vector" };
const bindings: Bindings = createRequire(createRequire(import.meta.url).resolve("@duckdb/node-api"))(
  "@duckdb/node-bindings",
);

/** The number of rows in one DuckDB vector (a block of values of one column). */
export const chunkRows = 2048;

/**
 * Size in bytes of the entry of a string in a DuckDB vector (a block of values of one column). The entry
 * consists of the length of the string, and of the string itself if it has at most `inlineBytes` bytes. DuckDB
 * stores longer strings outside of the entry.
 */
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
const fixedColumns = [UINTEGER, ...Object.values(fixedTypes).map((type) => (type === "BIGINT" ? BIGINT : VARCHAR))];
/** The number of columns that every table has. The columns of keys (tags and fields) follow them. */
export const leadingColumns = fixedColumns.length;

let texts = new Uint8Array(chunkRows * textBytes);
let textWords = new Uint32Array(texts.buffer);
const bools = new Uint8Array(chunkRows);
const numbers = new BigInt64Array(chunkRows);
const workspaces = new Uint32Array(chunkRows);
const nowhere = new Uint32Array(chunkRows / 32);
const encoder = new TextEncoder();

export interface Appended {
  /** The number by which the tables of the store name the workspace. */
  readonly workspace: number;
  /** The sequence number (order of arrival) of the first row. Each further row has the next number. */
  readonly sequence: bigint;
  readonly index: string;
  /** The time at which the points were received, in ms since 1970. */
  readonly received: bigint;
}

/** The columns of a table that hold keys (tags and fields), and which column holds which key. */
export interface AppendTarget {
  readonly columns: readonly PhysicalColumn[];
  /**
   * Returns the index of the column for a key with the given value type. A rare key has no column of its own; the index
   * is then that of a map column, which holds many keys.
   */
  placeOf(key: string, kind: ColumnKind): number;
}

/** Appends the points of one chunk (a part of a batch) as rows of a table. */
export function appendChunk(
  appender: DuckDBAppender,
  { columns, placeOf }: AppendTarget,
  points: ColumnChunk,
  { workspace, sequence, index, received }: Appended,
): void {
  const { rows, memory } = points;
  const chunk = DuckDBDataChunk.create([...fixedColumns, ...columns.map(vectorType)], rows);
  const vector = (place: number): Vector => bindings.data_chunk_get_vector(chunk.chunk, place);
  bindings.copy_data_to_vector(vector(0), 0, workspaces.fill(workspace, 0, rows).buffer, 0, rows * 4);
  copyNumbers(vector(1), points.times, rows);
  for (let row = 0; row < rows; row++) numbers[row] = sequence + BigInt(row);
  copyNumbers(vector(2), numbers, rows);
  copyTexts(vector(3), points.names, null, rows, memory);
  const indexBytes = encoder.encode(index);
  const indexWords = new Uint32Array(2 * rows).map((_, at) => (at % 2 === 0 ? 0 : indexBytes.length));
  copyTexts(vector(4), indexWords, null, rows, indexBytes);
  copyNumbers(vector(5), numbers.fill(received, 0, rows), rows);
  const written = new Set<number>();
  for (const column of points.columns) {
    const place = placeOf(column.key, column.kind);
    written.add(place);
    copyColumn(vector(leadingColumns + place), column, rows, memory);
  }
  for (const [place, cells] of cellsByMap(points.sparse, placeOf)) {
    written.add(place);
    copyMap(vector(leadingColumns + place), columns[place]!.kind, cells, points);
  }
  for (let place = 0; place < columns.length; place++)
    if (!written.has(place)) copyPresent(vector(leadingColumns + place), nowhere, rows);
  appender.appendDataChunk(chunk);
}

function vectorType(column: PhysicalColumn): DuckDBType {
  const type = types[column.kind];
  return column.type === "column" ? type : MAP(VARCHAR, type);
}

/**
 * Finds the cells of rare keys, which have no column of their own. Returns the indexes of these cells, grouped
 * by the map column (a column for many rare keys) in which they are stored. Within a group, the cells stay in
 * the order of the rows.
 */
function cellsByMap({ count, places, keys }: SparseCells, placeOf: AppendTarget["placeOf"]): Map<number, number[]> {
  const maps = new Map<number, number[]>();
  const byKey: number[][] = keys.map(({ key, kind }) => {
    const place = placeOf(key, kind);
    const cells = maps.get(place) ?? [];
    maps.set(place, cells);
    return cells;
  });
  for (let cell = 0; cell < count; cell++) byKey[places[cell]!]!.push(cell);
  for (const [place, cells] of maps) if (cells.length === 0) maps.delete(place);
  return maps;
}

/**
 * Copies a map column, which holds the values of many rare keys. Each row of the column is a list of key-value pairs.
 * DuckDB stores the pairs of all rows in one child vector.
 */
function copyMap(
  vector: Vector,
  kind: ColumnKind,
  cells: readonly number[],
  { rows, sparse, memory }: ColumnChunk,
): void {
  const { length } = cells;
  /** For each row, the offset of the row's list of pairs and the number of pairs, 64 bits each. */
  const lists = new Uint32Array(4 * rows);
  const present = new Uint32Array(chunkRows / 32);
  const words = new Uint32Array(2 * length);
  const keyWords = new Uint32Array(2 * length);
  const keyBytes = keysOf(sparse);
  for (const [at, cell] of cells.entries()) {
    const row = sparse.rows[cell]!;
    if (!isPresent(present, row)) {
      present[row >>> 5]! |= 1 << (row & 31);
      lists[4 * row] = at;
    }
    lists[4 * row + 2]!++;
    words[2 * at] = sparse.words[2 * cell]!;
    words[2 * at + 1] = sparse.words[2 * cell + 1]!;
    const place = sparse.places[cell]!;
    keyWords[2 * at] = keyBytes.starts[place]!;
    keyWords[2 * at + 1] = keyBytes.starts[place + 1]! - keyBytes.starts[place]!;
  }
  bindings.list_vector_reserve(vector, length);
  bindings.list_vector_set_size(vector, length);
  const pairs = bindings.list_vector_get_child(vector);
  copyTexts(bindings.struct_vector_get_child(pairs, 0), keyWords, null, length, keyBytes.bytes);
  copyValues(bindings.struct_vector_get_child(pairs, 1), kind, words, null, length, memory);
  bindings.copy_data_to_vector(vector, 0, lists.buffer, 0, lists.byteLength);
  copyPresent(vector, present, rows);
}

interface KeyBytes {
  readonly bytes: Uint8Array;
  /**
   * For each key, the byte offset in `bytes` at which it begins; after these, the offset at which the last key
   * ends.
   */
  readonly starts: readonly number[];
}

const bytesOfKeys = new WeakMap<SparseCells["keys"], KeyBytes & { readonly count: number }>();

function keysOf({ keys }: SparseCells): KeyBytes {
  const known = bytesOfKeys.get(keys);
  // The encoded keys are cached for all chunks of a batch. When a later chunk has more keys, all keys are encoded
  // again.
  if (known?.count === keys.length) return known;
  const encoded = keys.map(({ key }) => encoder.encode(key));
  const starts = [0];
  for (const { length } of encoded) starts.push(starts.at(-1)! + length);
  const bytes = new Uint8Array(starts.at(-1)!);
  for (const [at, each] of encoded.entries()) bytes.set(each, starts[at]);
  const made = { bytes, starts, count: keys.length };
  bytesOfKeys.set(keys, made);
  return made;
}

function copyColumn(vector: Vector, { kind, words, present }: PointColumn, rows: number, memory: Uint8Array): void {
  copyValues(vector, kind, words, present, rows, memory);
  copyPresent(vector, present, rows);
}

/**
 * Copies the values of a column into a DuckDB vector. `present`: one bit for each row, set when the row has a value;
 * null when all rows have a value.
 */
function copyValues(
  vector: Vector,
  kind: ColumnKind,
  words: Uint32Array,
  present: Uint32Array | null,
  count: number,
  memory: Uint8Array,
): void {
  switch (kind) {
    case "int":
    case "uint":
    case "float":
      copyNumbers(vector, words, count);
      break;
    case "bool": {
      const bytes = count <= bools.length ? bools : new Uint8Array(count);
      for (let at = 0; at < count; at++)
        bytes[at] = words[2 * at] !== 0 && (present === null || isPresent(present, at)) ? 1 : 0;
      bindings.copy_data_to_vector(vector, 0, bytes.buffer, 0, count);
      break;
    }
    default:
      copyTexts(vector, words, present, count, memory);
  }
}

function copyNumbers(vector: Vector, { buffer, byteOffset }: Uint32Array | BigInt64Array, count: number): void {
  bindings.copy_data_to_vector(vector, 0, buffer, byteOffset, count * 8);
}

function copyTexts(
  vector: Vector,
  words: Uint32Array,
  present: Uint32Array | null,
  count: number,
  memory: Uint8Array,
): void {
  if (texts.length < count * textBytes) {
    texts = new Uint8Array(2 * count * textBytes);
    textWords = new Uint32Array(texts.buffer);
  }
  texts.fill(0, 0, count * textBytes);
  const long: number[] = [];
  for (let at = 0; at < count; at++) {
    if (present !== null && !isPresent(present, at)) continue;
    const length = words[2 * at + 1]!;
    if (length > inlineBytes) {
      long.push(at);
      continue;
    }
    const from = words[2 * at]!;
    const to = at * textBytes + 4;
    textWords[at * 4] = length;
    for (let byte = 0; byte < length; byte++) texts[to + byte] = memory[from + byte]!;
  }
  bindings.copy_data_to_vector(vector, 0, texts.buffer, 0, count * textBytes);
  for (const at of long) {
    const from = words[2 * at]!;
    bindings.vector_assign_string_element_len(vector, at, memory.subarray(from, from + words[2 * at + 1]!));
  }
}

function copyPresent(vector: Vector, present: Uint32Array, rows: number): void {
  bindings.vector_ensure_validity_writable(vector);
  const bytes = Math.ceil(rows / 64) * 8;
  const bits = present.byteLength >= bytes ? present : everyBit(present, bytes);
  bindings.copy_data_to_vector_validity(vector, 0, bits.buffer, bits.byteOffset, bytes);
}

/**
 * Returns the bits that mark the rows with a value. Their number is rounded up to a multiple of 64, because
 * DuckDB reads the bits as 64-bit words.
 */
function everyBit(present: Uint32Array, bytes: number): Uint32Array {
  const padded = new Uint32Array(bytes / 4);
  padded.set(present);
  return padded;
}

function isPresent(present: Uint32Array, row: number): boolean {
  return (present[row >>> 5]! & (1 << (row & 31))) !== 0;
}
