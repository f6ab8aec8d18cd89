// Appends columns of points to a table of DuckDB. Each column is one copy of memory into a vector; each text of more
// than 12 bytes is one call. Keys without a column go into maps.

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

// The driver's bindings, which copy whole blocks of memory; its own vectors take one value at a time.
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

/** The number of rows in one vector of DuckDB. */
export const chunkRows = 2048;

/**
 * The layout of a text in a vector: its length, then the text itself if it has at most `inlineBytes`; DuckDB keeps
 * longer texts elsewhere.
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
/** The number of columns before those of keys: `workspace` and the fixed ones. */
export const leadingColumns = fixedColumns.length;

let texts = new Uint8Array(chunkRows * textBytes);
let textWords = new Uint32Array(texts.buffer);
const bools = new Uint8Array(chunkRows);
const numbers = new BigInt64Array(chunkRows);
const workspaces = new Uint32Array(chunkRows);
const nowhere = new Uint32Array(chunkRows / 32);
const encoder = new TextEncoder();

export interface Appended {
  /** The number of the workspace. */
  readonly workspace: number;
  /** The sequence number of the first row by arrival; the following rows count up. */
  readonly sequence: bigint;
  readonly index: string;
  /** The time of receipt, ms since 1970. */
  readonly received: bigint;
}

/** The columns of a table after the leading ones, and the position of each. */
export interface AppendTarget {
  readonly columns: readonly PhysicalColumn[];
  /** Returns the position of the column for a key and kind, or of the map that holds the key. */
  placeOf(key: string, kind: ColumnKind): number;
}

/** Appends the rows of a chunk to a table. */
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

/** Returns the cells of each map, in the order of their rows. */
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

/** Copies a map column. A map is a list of pairs for each row; the pairs of all rows lie in one child vector. */
function copyMap(
  vector: Vector,
  kind: ColumnKind,
  cells: readonly number[],
  { rows, sparse, memory }: ColumnChunk,
): void {
  const { length } = cells;
  /** Offset and length of each row's list, 64 bits each. */
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
  /** The start of each key, and the end of the last one. */
  readonly starts: readonly number[];
}

const bytesOfKeys = new WeakMap<SparseCells["keys"], KeyBytes & { readonly count: number }>();

function keysOf({ keys }: SparseCells): KeyBytes {
  const known = bytesOfKeys.get(keys);
  // The cached texts are used unless a later chunk of the batch has more keys.
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

/** Copies values. `present`: a bit for each row that has a value; null when all rows have one. */
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

/** Returns the bits padded to 64-bit words, which DuckDB reads. */
function everyBit(present: Uint32Array, bytes: number): Uint32Array {
  const padded = new Uint32Array(bytes / 4);
  padded.set(present);
  return padded;
}

function isPresent(present: Uint32Array, row: number): boolean {
  return (present[row >>> 5]! & (1 << (row & 31))) !== 0;
}
