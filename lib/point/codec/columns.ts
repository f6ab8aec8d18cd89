// Reads points as columns, the form in which columnar databases store them: one column for each pair of key and
// value type. The points are read from the tape (the binary form of points), a limited number of rows at a time.
// No object is made for a point, tag or field, and strings are not copied.

import type { WasmModule } from "../../wasm/module.ts";
import {
  deadFlag,
  entry as e,
  entryWords,
  escapedFlag,
  kindMask,
  kinds,
  point as p,
  sourceFlag,
  tagFlag,
} from "../../wasm/tape.ts";
import type { Batch } from "../batch/batch.ts";
import { PointArray } from "../value.ts";
import { Key } from "../view.ts";
import { type Encodable, rangesOf } from "./encode.ts";

/** The type of the values in a column; `tag` for a column of tags. */
export type ColumnKind = "tag" | "int" | "uint" | "float" | "string" | "bool" | "binary" | "array";

/**
 * A column that is needed to store the points. `key` is the key and `kind` the type of the values in the column.
 * `names` has the measurements of all points that have a value in the column.
 */
export interface ColumnUse {
  readonly key: string;
  readonly kind: ColumnKind;
  /** Number of points that have a value of this type under this key. */
  readonly count: number;
  readonly names: readonly string[];
}

/** The cells of one column. All of them have the same key and the same type of value. */
export interface PointColumn {
  readonly key: string;
  readonly kind: ColumnKind;
  /** Two 32-bit words for each row: a 64-bit number (bool: 0 or 1), or the address and length of bytes. */
  readonly words: Uint32Array;
  /** One bit for each row, the lowest bit first: 1 when the row's point has a value in this column. */
  readonly present: Uint32Array;
}

/** Cells of keys that few points have, in the order of the rows. Rows without the key take no memory. */
export interface SparseCells {
  readonly count: number;
  /** For each cell, the index of its row; the indexes ascend. */
  readonly rows: Uint32Array;
  /** For each cell, the index of its key in `keys`. */
  readonly places: Uint32Array;
  /** Two 32-bit words for each cell: a 64-bit number, or the address and length of bytes, as in `PointColumn.words`. */
  readonly words: Uint32Array;
  readonly keys: readonly { readonly key: string; readonly kind: ColumnKind }[];
}

/** A chunk: the columns of some rows. It is valid until the next chunk is requested. */
export interface ColumnChunk {
  readonly rows: number;
  /** Two 32-bit words for each row: its time in nanoseconds since 1970. */
  readonly times: Uint32Array;
  /** Two 32-bit words for each row: address and length of the measurement. */
  readonly names: Uint32Array;
  /** The columns for which at least one point of the chunk has a value. */
  readonly columns: readonly PointColumn[];
  /** Cells of the keys for which `ColumnOptions.isSparse` returns true. */
  readonly sparse: SparseCells;
  /** The memory to which the addresses refer. Its strings are valid UTF-8: invalid parts were replaced by U+FFFD. */
  readonly memory: Uint8Array;
}

/** Options for reading points as columns. */
export interface ColumnOptions {
  /** Number of rows in a chunk, a multiple of 32. */
  readonly rows: number;
  /** Returns the string that the columnar database stores for an array. */
  arrayText(array: PointArray): string;
  /**
   * Returns whether the cells of a key and type go into `sparse` and not into a column of their own. Without this
   * function, no cells go into `sparse`.
   */
  isSparse?(key: string, kind: ColumnKind): boolean;
}

/**
 * Names of the value types. The index of a name is the type's number on the tape (the binary form of points).
 * Values of type nil are not stored, so the name at the index of nil is `tag`.
 */
const kindNames: readonly ColumnKind[] = ["tag", "int", "uint", "float", "string", "bool", "binary", "array"];
const slotsPerKey = kindNames.length;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns the columns that are needed to store the points. */
export function columnsUsed(module: WasmModule, points: Encodable): ColumnUse[] {
  const uses = new Map<string, FoundUse>();
  for (const { batch, from, to } of rangesOf(module, points, {})) {
    const slots: FoundUse[] = [];
    for (let index = from; index < to; index++) {
      const at = batch.pointAt(index);
      const name = batch.decode(module.u32[at + p.name]!, module.u32[at + p.nameLength]!);
      eachEntry(batch, at, (entry, slot) => {
        let use = slots[slot];
        if (use === undefined) {
          const key = batch.keyText(module.u32[entry + e.key]!);
          const id = `${slot % slotsPerKey} ${key}`;
          let known = uses.get(id);
          if (known === undefined)
            uses.set(id, (known = { key, kind: kindNames[slot % slotsPerKey]!, count: 0, names: new Set(), last: "" }));
          use = slots[slot] = known;
        }
        use.count++;
        if (use.last === name && use.count > 1) return;
        use.last = name;
        use.names.add(name);
      });
    }
  }
  return [...uses.values()].map(({ key, kind, count, names }) => ({ key, kind, count, names: [...names] }));
}

interface FoundUse {
  readonly key: string;
  readonly kind: ColumnKind;
  count: number;
  readonly names: Set<string>;
  /**
   * The measurement that was added to `names` last. Points mostly have the same measurement as the previous point, so
   * most points add no measurement.
   */
  last: string;
}

/** Yields the points as chunks of columns, in the order of the points. */
export function* columnChunks(module: WasmModule, points: Encodable, options: ColumnOptions): Iterable<ColumnChunk> {
  for (const { batch, from, to } of rangesOf(module, points, {})) {
    const rows = Math.min(options.rows, (to - from + 31) & ~31);
    const times = new Uint32Array(2 * rows);
    const names = new Uint32Array(2 * rows);
    const slots: Slot[] = [];
    const sparse = new SparseBuffer();
    for (let start = from; start < to; start += rows) {
      const count = Math.min(rows, to - start);
      const used: FilledColumn[] = [];
      sparse.count = 0;
      for (let row = 0; row < count; row++) {
        const index = start + row;
        const at = batch.pointAt(index);
        placeText(batch, at + p.name, names, 2 * row);
        times[2 * row] = module.u32[at + p.time]!;
        times[2 * row + 1] = module.u32[at + p.time + 1]!;
        eachEntry(batch, at, (entry, number) => {
          const slot = (slots[number] ??= slotAt(batch, entry, number, rows, options, sparse));
          let to = 2 * row;
          if (slot.place >= 0) to = 2 * sparse.add(row, slot.place);
          else {
            if (slot.chunk !== start) {
              slot.chunk = start;
              slot.present.fill(0);
              used.push(slot);
            }
            slot.present[row >>> 5]! |= 1 << (row & 31);
          }
          const words = slot.place >= 0 ? sparse.words : slot.words;
          if (slot.kind === "array") {
            const array = batch.at(index).get(slot.found);
            const text = array instanceof PointArray ? options.arrayText(array) : "null";
            const { address, length } = batch.writeText(text);
            words[to] = address;
            words[to + 1] = length;
          } else placeCell(batch, entry, slot.kind, words, to);
        });
      }
      yield { rows: count, times, names, columns: used, sparse, memory: module.u8 };
    }
  }
}

interface FilledColumn extends PointColumn {
  readonly found: Key;
  /** The last chunk that contains the column, identified by the number of the chunk's first row. */
  chunk: number;
}

/**
 * The place where the cells of one key and type are stored. When `place` is negative, the cells have a column of
 * their own. Otherwise they are sparse cells, and `place` is the index of their key in `SparseCells.keys`.
 */
interface Slot extends FilledColumn {
  readonly place: number;
}

function slotAt(
  batch: Batch,
  entry: number,
  number: number,
  rows: number,
  { isSparse }: ColumnOptions,
  sparse: SparseBuffer,
): Slot {
  const key = batch.keyText(batch.module.u32[entry + e.key]!);
  const kind = kindNames[number % slotsPerKey]!;
  const isOne = isSparse?.(key, kind) === true;
  const words = new Uint32Array(isOne ? 0 : 2 * rows);
  const present = new Uint32Array(isOne ? 0 : rows / 32);
  const place = isOne ? sparse.keys.push({ key, kind }) - 1 : -1;
  return { key, kind, words, present, found: new Key(key), chunk: -1, place };
}

/**
 * Collects the sparse cells (cells of keys that few points have) of one chunk at a time; its arrays grow with the
 * number of cells.
 */
class SparseBuffer implements SparseCells {
  count = 0;
  rows = new Uint32Array(64);
  places = new Uint32Array(64);
  words = new Uint32Array(128);
  readonly keys: { readonly key: string; readonly kind: ColumnKind }[] = [];

  /** Adds a sparse cell (a cell of a key that few points have) and returns the index of the cell. */
  add(row: number, place: number): number {
    const at = this.count++;
    if (at === this.rows.length) {
      const grown = (array: Uint32Array): Uint32Array<ArrayBuffer> => {
        const longer = new Uint32Array(2 * array.length);
        longer.set(array);
        return longer;
      };
      this.rows = grown(this.rows);
      this.places = grown(this.places);
      this.words = grown(this.words);
    }
    this.rows[at] = row;
    this.places[at] = place;
    return at;
  }
}

/**
 * Calls `take` for each tag or field of the point that is not deleted and has a value. `entry` is the index of the tag
 * or field in the WebAssembly memory `u32`, and `slot` is a number that identifies its key and type.
 */
function eachEntry(batch: Batch, at: number, take: (entry: number, slot: number) => void): void {
  const { module } = batch;
  let left = module.u32[at + p.count]!;
  let entry = batch.entryAt(module.u32[at + p.first]!);
  let link = module.u32[at + p.more]!;
  for (;;) {
    // The callback `take` may grow the WebAssembly memory, which replaces the JavaScript views of the memory. So
    // this loop reads the view again for each tag or field. The addresses of the tags and fields do not change.
    const { u32 } = module;
    if (left > 0) left--;
    else if (link === 0) return;
    else {
      entry = batch.entryAt(link - 1);
      link = u32[entry + e.link]!;
    }
    const word = u32[entry + e.kind]!;
    const kind = (word & tagFlag) !== 0 ? 0 : word & kindMask;
    if ((word & deadFlag) === 0 && ((word & tagFlag) !== 0 || kind !== kinds.nil))
      take(entry, u32[entry + e.key]! * slotsPerKey + kind);
    entry += entryWords;
  }
}

function placeCell(batch: Batch, entry: number, kind: ColumnKind, words: Uint32Array, to: number): void {
  const { module } = batch;
  const flags = module.u32[entry + e.kind]!;
  switch (kind) {
    case "tag":
    case "string":
      if ((flags & escapedFlag) !== 0) {
        module.exports.unescapeEntry(batch.base, entry << 2);
        module.refresh();
      }
      placeText(batch, entry + e.text, words, to);
      return;
    case "binary":
      if ((flags & sourceFlag) !== 0) {
        module.exports.unpack(batch.base, entry << 2);
        module.refresh();
      }
      words[to] = module.u32[entry + e.text]!;
      words[to + 1] = module.u32[entry + e.length]!;
      return;
    default:
      words[to] = module.u32[entry + e.number]!;
      words[to + 1] = module.u32[entry + e.number + 1]!;
  }
}

/**
 * Stores the address and length of a string in `words`, at the index `to`. `at` is the index in the WebAssembly
 * memory `u32` of two words: the string's address and its length. A string that is not valid UTF-8 is first
 * copied to the heap with its invalid parts replaced.
 */
function placeText(batch: Batch, at: number, words: Uint32Array, to: number): void {
  const { u32, u8 } = batch.module;
  let address = u32[at]!;
  let length = u32[at + 1]!;
  if (!batch.isAscii(address)) {
    let place = address;
    while (place < address + length && u8[place]! < 0x80) place++;
    if (place < address + length) {
      const text = decoder.decode(u8.subarray(address, address + length));
      if (text.includes("\ufffd")) ({ address, length } = batch.writeText(text));
    }
  }
  words[to] = address;
  words[to + 1] = length;
}
