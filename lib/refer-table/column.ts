// A column of a reference table: typed arrays with the cells, and an index that is built at the first look-up.

import { Float, type PointValue } from "../point/value.ts";
import { Key } from "../point/view.ts";
import { isBytes } from "../text/bytes.ts";
import { type Integer, integer } from "../text/integer.ts";
import { Dictionary, type DictionaryData } from "./dictionary.ts";
import { HashSlots, hashDouble, hashLong } from "./hash-slots.ts";

export type ColumnKind = "int" | "float" | "string" | "bool";

export type Cells = Int32Array | Float64Array | BigInt64Array | Uint8Array | Uint32Array;

/**
 * A column as it is stored and posted to other threads. `cells` has one element for each row. An int column has
 * an Int32Array, a Float64Array (all safe integers) or a BigInt64Array; a float column has a Float64Array. A
 * cell of a bool column is 0 or 1; a cell of a string column is the number of the string in `texts`. `cells` is
 * null when all rows of a string column have different strings: the number of a row is then also the number of
 * its string.
 */
export interface ColumnData {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly cells: Cells | null;
  readonly texts: DictionaryData | null;
}

/**
 * The rows grouped by their value. Each group has a number, from 0. The rows of group `g` are
 * `rows[starts[g]]` up to `rows[starts[g + 1]]` (exclusive), in ascending order. Groups of ints and floats
 * are numbered in the order of their first rows; for bools and strings, the number in the cells is the
 * number of the group. When all ints, floats or strings are different, group `g` consists of row `g`, and
 * `lists` is null.
 */
interface Index {
  readonly lists: { readonly starts: Uint32Array; readonly rows: Uint32Array } | null;
  readonly count: number;
  /**
   * Hash table that finds the group of an int or a float. A group is the set of all rows with one value, and
   * is identified by a number. Null for bools and strings: their cells are small numbers, and the rows with
   * the number `n` in their cells are group `n`.
   */
  readonly slots: HashSlots | null;
}

/**
 * The rows with a certain value: the row numbers `rows[from]` up to `rows[to]` (exclusive). When `rows` is null,
 * the row numbers are the numbers from `from` up to `to` (exclusive).
 */
export interface RowRange {
  readonly rows: Uint32Array | null;
  readonly from: number;
  readonly to: number;
}

/** A value that is looked up, converted to the type of a column's cells; undefined when no cell can equal the value. */
export type Wanted = number | bigint | undefined;

export class Column {
  readonly key: Key;
  readonly data: ColumnData;
  private readonly dictionary: Dictionary | null;
  private index: Index | null = null;

  constructor(data: ColumnData) {
    this.data = data;
    this.key = new Key(data.name);
    this.dictionary = data.texts === null ? null : new Dictionary(data.texts);
  }

  value(row: number): PointValue {
    const { cells } = this.data;
    if (cells === null) return this.dictionary!.text(row);
    const cell = cells[row]!;
    switch (this.data.kind) {
      case "int":
        return typeof cell === "bigint" ? integer(cell) : cell;
      case "float":
        return new Float(cell as number);
      case "bool":
        return cell === 1;
      case "string":
        return this.dictionary!.text(cell as number);
    }
  }

  /**
   * Converts a value to the type of the cells. Ints and floats match each other by their numeric value; strings match
   * only strings, and bools only bools.
   */
  wanted(value: PointValue): Wanted {
    const { kind, cells } = this.data;
    if (kind === "bool") return typeof value === "boolean" ? Number(value) : undefined;
    if (kind === "string") {
      if (typeof value !== "string" && !isBytes(value)) return undefined;
      const code = this.dictionary!.codeOf(value.toString());
      return code < 0 ? undefined : code;
    }
    const number = numberOf(value);
    if (number === undefined) return undefined;
    if (cells instanceof BigInt64Array) {
      return typeof number === "bigint" || Number.isInteger(number) ? BigInt(number) : undefined;
    }
    if (kind === "float") return Number(number);
    return typeof number === "bigint" ? undefined : number;
  }

  isAt(row: number, wanted: Wanted): boolean {
    const { cells } = this.data;
    return (cells === null ? row : cells[row]) === wanted;
  }

  /** Returns the index of the first row whose cell in this column equals `wanted`; -1 when no row does. */
  first(wanted: Wanted): number {
    const group = this.group(wanted);
    return group < 0 ? -1 : firstRow(this.index!, group);
  }

  /** Returns the rows whose cells in this column equal `wanted`; null when there are none. */
  find(wanted: Wanted): RowRange | null {
    const group = this.group(wanted);
    if (group < 0) return null;
    const { lists } = this.index!;
    return lists === null
      ? { rows: null, from: group, to: group + 1 }
      : { rows: lists.rows, from: lists.starts[group]!, to: lists.starts[group + 1]! };
  }

  /**
   * Returns the number that identifies the group of a value (the group consists of all rows with this value);
   * -1 when no row has the value. Groups are numbered from 0.
   */
  private group(wanted: Wanted): number {
    if (wanted === undefined) return -1;
    this.index ??= this.data.kind === "int" || this.data.kind === "float" ? this.byNumber() : this.byCell();
    const { index } = this;
    if (index.slots !== null) return this.groupOfNumber(index, index.slots, wanted);
    const group = wanted as number;
    const { lists, count } = index;
    if (group >= count) return -1;
    return lists !== null && lists.starts[group] === lists.starts[group + 1] ? -1 : group;
  }

  /**
   * Returns the number that identifies the group of an int or float (the rows with this value); -1 when no row
   * has the value. Searches the hash table by the same steps as `HashSlots.find`. The code is repeated here,
   * because calling `find` with a function that compares would be slower.
   */
  private groupOfNumber(index: Index, { slots, mask }: HashSlots, wanted: number | bigint): number {
    const cells = this.data.cells!;
    const hash = hashOf(wanted);
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const slot = slots[at]!;
      if (slot === 0) return -1;
      const group = (slot & mask) - 1;
      if (((slot ^ hash) & ~mask) === 0 && cells[firstRow(index, group)] === wanted) return group;
    }
  }

  /**
   * Builds an index for cells that are small numbers: bools as 0 and 1, or the numbers that stand for strings.
   * The rows with the number `n` in their cells are group `n`.
   */
  private byCell(): Index {
    const cells = this.data.cells as Uint8Array | Uint32Array | null;
    const count = this.dictionary?.size ?? 2;
    return { lists: cells === null ? null : grouped(cells, count), count, slots: null };
  }

  private byNumber(): Index {
    const cells = this.data.cells!;
    const slots = new HashSlots();
    const firsts: number[] = [];
    const groups = new Uint32Array(cells.length);
    const hashOfGroup = (id: number) => hashOf(cells[firsts[id]!]!);
    for (let row = 0; row < cells.length; row++) {
      const cell = cells[row]!;
      const hash = hashOf(cell);
      let group = slots.find(hash, (id) => cells[firsts[id]!] === cell);
      if (group < 0) {
        slots.add(hash, hashOfGroup);
        group = firsts.push(row) - 1;
      }
      groups[row] = group;
    }
    const lists = firsts.length === cells.length ? null : grouped(groups, firsts.length);
    return { lists, count: firsts.length, slots };
  }
}

function firstRow({ lists }: Index, group: number): number {
  return lists === null ? group : lists.rows[lists.starts[group]!]!;
}

function hashOf(cell: number | bigint): number {
  return typeof cell === "bigint" ? hashLong(cell) : hashDouble(cell);
}

function numberOf(value: PointValue): Integer | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  return value instanceof Float ? value.value : undefined;
}

/** Sorts the rows by their group with a counting sort. */
function grouped(groups: Uint8Array | Uint32Array, count: number): NonNullable<Index["lists"]> {
  const starts = new Uint32Array(count + 1);
  for (const group of groups) starts[group + 1]!++;
  for (let group = 0; group < count; group++) starts[group + 1]! += starts[group]!;
  const next = starts.slice(0, count);
  const rows = new Uint32Array(groups.length);
  for (let row = 0; row < groups.length; row++) rows[next[groups[row]!]!++] = row;
  return { starts, rows };
}
