// The reference tables that scripts look up (functions document 2, section 3): a set that never changes; an update is
// another set, put in its place by the host.

import type { PointValue } from "../point/value.ts";
import type { Key } from "../point/view.ts";
import { Column, type ColumnData } from "./column.ts";

/** As it is kept and posted to other threads: typed arrays, on shared memory where the host has it. */
export interface TableData {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly ColumnData[];
}

/** One cell of a row that was found. */
export interface Cell {
  readonly key: Key;
  readonly value: PointValue;
}

export class ReferTables {
  readonly data: readonly TableData[];
  private readonly tables: ReadonlyMap<string, ReadonlyMap<string, Column>>;

  constructor(data: readonly TableData[]) {
    this.data = data;
    this.tables = new Map(
      data.map(({ name, columns }) => [name, new Map(columns.map((column) => [column.name, new Column(column)]))]),
    );
  }

  /**
   * The first row of a table whose `columns` hold `values`, all of them; null when there is none, no such table or column,
   * or nothing was asked for. The work is that of the rarest of the values.
   */
  find(table: string, columns: readonly string[], values: readonly PointValue[]): Cell[] | null {
    const its = this.tables.get(table);
    if (its === undefined || columns.length === 0 || columns.length !== values.length) return null;
    const asked = columns.map((name) => its.get(name));
    if (!asked.every((column) => column !== undefined)) return null;
    const wanted = asked.map((column, at) => column.wanted(values[at]!));
    let rarest: ReturnType<Column["find"]> = null;
    for (const [at, column] of asked.entries()) {
      const range = column.find(wanted[at]);
      if (range === null) return null;
      if (rarest === null || range.to - range.from < rarest.to - rarest.from) rarest = range;
    }
    for (let at = rarest!.from; at < rarest!.to; at++) {
      const row = rarest!.rows[at]!;
      if (asked.every((column, which) => column.isAt(row, wanted[which]))) {
        return Array.from(its.values(), (column) => ({ key: column.key, value: column.value(row) }));
      }
    }
    return null;
  }

  /** Bytes of all tables, without the indexes. */
  get bytes(): number {
    let bytes = 0;
    for (const { columns } of this.data) {
      for (const { cells, texts } of columns) {
        bytes += cells.byteLength;
        if (texts !== null) bytes += texts.heap.byteLength + texts.ends.byteLength + texts.slots.byteLength;
      }
    }
    return bytes;
  }
}
