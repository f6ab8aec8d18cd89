// Converts columns of points to Arrow tables, and DuckDB's answers to JavaScript values. 64-bit integers stay exact in
// both directions.

import {
  Binary,
  Bool,
  type Data,
  Float64,
  Int64,
  makeData,
  makeVector,
  Table,
  Type,
  Uint64,
  Utf8,
  type Vector,
} from "apache-arrow";
import type { ResultRow } from "../../lib/dql/sql/rows.ts";
import type { ColumnChunk, PointColumn } from "../../lib/index.ts";

export interface NamedColumn {
  /** Name of the column in the table of DuckDB. */
  readonly name: string;
  readonly column: PointColumn;
}

export interface Arrival {
  /** Sequence number of the first row; each next row has the next number. */
  readonly sequence: bigint;
  readonly index: string;
  /** Time when the points were received, in ms since 1970. */
  readonly received: bigint;
}

/**
 * Makes an Arrow table from a chunk of points in columns. The function copies the data, because the memory of the chunk
 * may change afterwards.
 */
export function arrowTable(chunk: ColumnChunk, columns: readonly NamedColumn[], arrival: Arrival): Table {
  const { rows, memory } = chunk;
  const numbers = (each: (row: number) => bigint) =>
    makeData({ type: new Int64(), data: BigInt64Array.from({ length: rows }, (_, row) => each(row)) });
  const index = new TextEncoder().encode(arrival.index);
  const vectors: Record<string, Vector> = {
    ts: makeVector(makeData({ type: new Int64(), data: signed(chunk.times, rows) })),
    seq: makeVector(numbers((row) => arrival.sequence + BigInt(row))),
    name: makeVector(textData(chunk.names, () => true, rows, memory)),
    idx: makeVector(
      textData(
        Uint32Array.from({ length: 2 * rows }, (_, at) => (at & 1) * index.length),
        () => true,
        rows,
        index,
      ),
    ),
    recv: makeVector(numbers(() => arrival.received)),
  };
  for (const { name, column } of columns) vectors[name] = makeVector(columnData(column, rows, memory));
  return new Table(vectors);
}

function columnData({ kind, words, present }: PointColumn, rows: number, memory: Uint8Array): Data {
  const has = (row: number) => ((present[row >>> 5]! >>> (row & 31)) & 1) === 1;
  // The bits of `present` (one for each row that has a value) are in the same order as the bits of an Arrow null
  // bitmap. So their bytes can be copied unchanged.
  const nullBitmap = new Uint8Array(present.slice().buffer, 0, (rows + 7) >>> 3);
  const common = { length: rows, nullBitmap, nullCount: -1 };
  switch (kind) {
    case "int":
      return makeData({ ...common, type: new Int64(), data: signed(words, rows) });
    case "uint":
      return makeData({ ...common, type: new Uint64(), data: new BigUint64Array(signed(words, rows).buffer) });
    case "float":
      return makeData({ ...common, type: new Float64(), data: new Float64Array(signed(words, rows).buffer) });
    case "bool": {
      const data = new Uint8Array(nullBitmap.length);
      for (let row = 0; row < rows; row++) if (has(row) && words[2 * row] !== 0) data[row >>> 3]! |= 1 << (row & 7);
      return makeData({ ...common, type: new Bool(), data });
    }
    case "binary": {
      const { valueOffsets, data } = bytesOf(words, has, rows, memory);
      return makeData({ ...common, type: new Binary(), valueOffsets, data });
    }
    default:
      return textData(words, has, rows, memory, nullBitmap);
  }
}

function signed(words: Uint32Array, rows: number): BigInt64Array {
  return new BigInt64Array(words.slice(0, 2 * rows).buffer);
}

function textData(
  words: Uint32Array,
  has: (row: number) => boolean,
  rows: number,
  memory: Uint8Array,
  nullBitmap?: Uint8Array,
): Data {
  const { valueOffsets, data } = bytesOf(words, has, rows, memory);
  const nulls = nullBitmap === undefined ? {} : { nullBitmap, nullCount: -1 };
  return makeData({ type: new Utf8(), length: rows, ...nulls, valueOffsets, data });
}

function bytesOf(words: Uint32Array, has: (row: number) => boolean, rows: number, memory: Uint8Array) {
  const valueOffsets = new Int32Array(rows + 1);
  for (let row = 0; row < rows; row++)
    valueOffsets[row + 1] = valueOffsets[row]! + (has(row) ? words[2 * row + 1]! : 0);
  const data = new Uint8Array(valueOffsets[rows]!);
  for (let row = 0; row < rows; row++) {
    const address = words[2 * row]!;
    if (has(row)) data.set(memory.subarray(address, address + words[2 * row + 1]!), valueOffsets[row]);
  }
  return { valueOffsets, data };
}

/**
 * Returns the rows of an answer. Integers become bigints, as in the answers of all other databases that the tests use.
 */
export function resultRows(table: Table): ResultRow[] {
  const columns = table.schema.fields.map(({ type }, at) => ({
    vector: table.getChildAt(at)!,
    decode: decoderOf(type.typeId),
  }));
  return Array.from({ length: table.numRows }, (_, row) =>
    columns.map(({ vector, decode }) => {
      const value: unknown = vector.get(row);
      return value === null ? null : decode(value);
    }),
  );
}

function decoderOf(type: Type): (value: unknown) => unknown {
  switch (type) {
    case Type.Int:
      return (value) => BigInt(value as number | bigint);
    case Type.Decimal:
      return (value) => wideInt(value as Uint32Array);
    case Type.Binary:
      return (value) => (value as Uint8Array).slice();
    case Type.Float:
    case Type.Bool:
    case Type.Utf8:
      return (value) => value;
    default:
      throw new Error(`the database answered with values of the Arrow type ${Type[type]}`);
  }
}

/** Returns a 128-bit integer from its 32-bit words, the lowest word first. */
function wideInt(words: Uint32Array): bigint {
  return BigInt.asIntN(
    128,
    words.reduceRight((all, word) => (all << 32n) | BigInt(word), 0n),
  );
}
