// Receivers for the rows of reference tables while their document is read: memory, or a store of the host.

import type { Cells, ColumnData, ColumnKind } from "./column.ts";
import { moved } from "./growing.ts";
import type { TableData } from "./tables.ts";

type Keep = <A extends Cells>(array: A) => A;

export interface ColumnHead {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** Receives tables one after another: for each, `part` any number of times, then `end` or `drop`. */
export interface TableSink {
  /** Number of rows in a part. */
  readonly partRows: number;
  /**
   * Receives the next rows of the current table, whose name may not be known yet. The arrays are valid until the call
   * returns.
   */
  part(columns: readonly ColumnData[], rowCount: number): void;
  /** The table is complete and valid. */
  end(name: string, columns: readonly ColumnHead[]): void;
  /** The table has errors, or its name occurred before. */
  drop(): void;
}

/** Keeps whole tables as typed arrays. */
export interface MemorySink extends TableSink {
  readonly tables: readonly TableData[];
}

/** Options of `memorySink`. */
export interface MemoryOptions {
  /** Whether the tables are kept in shared memory, so that they can be posted to other threads without a copy. */
  readonly shared?: boolean;
}

/**
 * Makes a sink that keeps the tables in memory.
 *
 * @example
 * memorySink().tables; // []
 */
export function memorySink({ shared = false }: MemoryOptions = {}): MemorySink {
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

/** Returns a function that moves arrays to buffers of their exact lengths. */
function keeper(shared: boolean): Keep {
  return (array) => moved(array, (bytes) => (shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)));
}
