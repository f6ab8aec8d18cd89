// Where the rows of reference tables go while their document is read: into memory, or to a store of the host.

import type { Cells, ColumnData, ColumnKind } from "./column.ts";
import { moved } from "./growing.ts";
import type { TableData } from "./tables.ts";

type Keep = <A extends Cells>(array: A) => A;

export interface ColumnHead {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** A table arrives as `part`, `part`, ..., then `end` or `drop`; tables follow one another. */
export interface TableSink {
  /** Rows of a part. */
  readonly partRows: number;
  /** The next rows of the table being read; its name may not be known yet. The arrays are the sink's until the call returns; then they are nobody's. */
  part(columns: readonly ColumnData[], rowCount: number): void;
  /** The table is complete and sound. */
  end(name: string, columns: readonly ColumnHead[]): void;
  /** The table has mistakes, or its name was given before. */
  drop(): void;
}

/** Keeps whole tables as typed arrays. */
export interface MemorySink extends TableSink {
  readonly tables: readonly TableData[];
}

export interface MemoryOptions {
  /** Keep the tables on shared memory, so that they can be posted to other threads without a copy. */
  readonly shared?: boolean;
}

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

/** Moves arrays to buffers of their exact lengths. */
function keeper(shared: boolean): Keep {
  return (array) => moved(array, (bytes) => (shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)));
}
