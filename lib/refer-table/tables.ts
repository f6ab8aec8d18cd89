// The reference tables in which scripts look up rows (docs/reference/function-rules.md#reference-tables). A set of
// tables never changes; for an update, the program that uses the library replaces the whole set by another one.

import type { PointValue } from "../point/value.ts";
import type { Key } from "../point/view.ts";
import { refuse, requireString } from "../text/argument.ts";
import { Column, type ColumnData, type RowRange, type Wanted } from "./column.ts";

/** A table as it is stored and posted to other threads: typed arrays, in shared memory if the platform supports it. */
export interface TableData {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly ColumnData[];
}

/** One cell of a found row. */
export interface Cell {
  readonly key: Key;
  readonly value: PointValue;
}

/**
 * The interface through which scripts look up rows, in a set of tables in memory or in another store, such as a
 * database.
 */
export interface TableLookup {
  /**
   * Returns the first row of a table in which each of `columns` holds the value at the same index of `values`. Returns
   * null when there is no such row, table or column, or when `columns` is empty.
   */
  find(table: string, columns: readonly string[], values: readonly PointValue[]): Cell[] | null;
}

/** A set of reference tables in memory. */
export class ReferTables implements TableLookup {
  readonly data: readonly TableData[];
  private readonly tables: ReadonlyMap<string, Table>;

  constructor(data: readonly TableData[]) {
    requireTables(data);
    this.data = data;
    this.tables = new Map(
      data.map((table) => {
        const columns = table.columns.map((column) => new Column(column));
        return [table.name, { columns, byName: new Map(columns.map((column) => [column.data.name, column])) }];
      }),
    );
  }

  /**
   * Finds the first row with the given values. The time for this is proportional to the number of rows that
   * contain the rarest of the values.
   */
  find(table: string, columns: readonly string[], values: readonly PointValue[]): Cell[] | null {
    requireString("find", "table", table);
    if (!Array.isArray(columns)) refuse("find", "columns", "an array of names", columns);
    if (!Array.isArray(values)) refuse("find", "values", "an array of values", values);
    const its = this.tables.get(table);
    if (its === undefined || columns.length === 0 || columns.length !== values.length) return null;
    const row = columns.length === 1 ? firstRow(its, columns[0]!, values[0]!) : commonRow(its, columns, values);
    if (row < 0) return null;
    const cells: Cell[] = [];
    for (const column of its.columns) cells.push({ key: column.key, value: column.value(row) });
    return cells;
  }

  /** Size of all tables in bytes, without their indexes. */
  get bytes(): number {
    let bytes = 0;
    for (const { columns } of this.data) {
      for (const { cells, texts } of columns) {
        bytes += cells?.byteLength ?? 0;
        if (texts !== null) bytes += texts.heap.byteLength + texts.ends.byteLength + texts.slots.byteLength;
      }
    }
    return bytes;
  }
}

interface Table {
  readonly columns: readonly Column[];
  readonly byName: ReadonlyMap<string, Column>;
}

/** Returns the number of the first row with `value` in the column `name`; -1 when there is no such row or column. */
function firstRow({ byName }: Table, name: string, value: PointValue): number {
  const column = byName.get(name);
  return column === undefined ? -1 : column.first(column.wanted(value));
}

function commonRow({ byName }: Table, names: readonly string[], values: readonly PointValue[]): number {
  const asked: { readonly column: Column; readonly wanted: Wanted }[] = [];
  let rarest: RowRange | null = null;
  for (const [at, name] of names.entries()) {
    const column = byName.get(name);
    if (column === undefined) return -1;
    const wanted = column.wanted(values[at]!);
    const range = column.find(wanted);
    if (range === null) return -1;
    if (rarest === null || range.to - range.from < rarest.to - rarest.from) rarest = range;
    asked.push({ column, wanted });
  }
  const { rows, from, to } = rarest!;
  for (let at = from; at < to; at++) {
    const row = rows === null ? at : rows[at]!;
    if (asked.every(({ column, wanted }) => column.isAt(row, wanted))) return row;
  }
  return -1;
}

function requireTables(data: unknown): void {
  const isTable = (table: unknown): boolean =>
    typeof table === "object" && table !== null && Array.isArray((table as Partial<TableData>).columns);
  if (!Array.isArray(data) || !data.every(isTable))
    refuse("ReferTables", "data", "an array of tables, as parseReferTables returns them", data);
}
