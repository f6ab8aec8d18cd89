// Receivers for the rows of reference tables while their document is read. A receiver keeps the rows in memory, or
// passes them to another store, such as a database.

import { type OptionNames, requireBoolean, requireOptions } from "../text/argument.ts";
import type { Cells, ColumnData, ColumnKind } from "./column.ts";
import { moveToExact } from "./growing.ts";
import type { TableData } from "./tables.ts";

type Keep = <A extends Cells>(array: A) => A;

export interface ColumnHead {
  readonly name: string;
  readonly kind: ColumnKind;
}

/**
 * Receives reference tables one after another. For each table, the reader calls `part` any number of times, then `end`
 * or `drop`.
 */
export interface TableSink {
  /** Number of rows that are passed in one call of `part`. */
  readonly partRows: number;
  /**
   * Receives the next rows of the current table, whose name may not be known yet. The arrays are only valid until the
   * call returns.
   */
  part(columns: readonly ColumnData[], rowCount: number): void;
  /** Called when the current table is complete and valid. */
  end(name: string, columns: readonly ColumnHead[]): void;
  /** Called when the current table has errors, or when an earlier table has the same name. */
  drop(): void;
}

/** A receiver of tables that keeps whole tables in memory, as typed arrays. */
export interface MemorySink extends TableSink {
  readonly tables: readonly TableData[];
}

/** Options of `memorySink`. */
export interface MemoryOptions {
  /** Whether the tables are kept in shared memory, so that they can be posted to other threads without a copy. */
  readonly shared?: boolean;
}

export const memoryNames: OptionNames<MemoryOptions> = { shared: true };

/**
 * Makes a sink (a receiver of tables) that keeps the tables in memory.
 *
 * @example
 * memorySink().tables; // []
 */
export function memorySink(options: MemoryOptions = {}): MemorySink {
  requireOptions("memorySink", options, memoryNames);
  const { shared = false } = options;
  requireBoolean("memorySink", "shared", shared);
  const keep = keeper(shared);
  const tables: TableData[] = [];
  let columns: readonly ColumnData[] = [];
  let rowCount = 0;
  return {
    tables,
    partRows: Number.POSITIVE_INFINITY,
    part: (its, rows) => {
      columns = its.map((column) => keptColumn(column, keep));
      rowCount = rows;
    },
    end: (name) => {
      tables.push({ name, rowCount, columns });
      columns = [];
    },
    drop: () => {
      columns = [];
    },
  };
}

function keptColumn({ name, kind, cells, texts }: ColumnData, keep: Keep): ColumnData {
  return {
    name,
    kind,
    cells: cells === null ? null : keep(cells),
    texts: texts === null ? null : { heap: keep(texts.heap), ends: keep(texts.ends), slots: keep(texts.slots) },
  };
}

/** Returns a function that moves arrays to buffers of their exact lengths, in shared memory when `shared` is set. */
function keeper(shared: boolean): Keep {
  return (array) => moveToExact(array, (bytes) => (shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)));
}
