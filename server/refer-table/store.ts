// Where a loader keeps reference tables, and how other threads find them there: one way to load, two stores.

import type { ColumnHead, TableSink } from "../../lib/refer-table/sink.ts";
import type { TableData } from "../../lib/refer-table/tables.ts";

/** What the last good answer said of itself. */
export interface Known {
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Of the document's bytes. */
  readonly digest: string;
}

export interface TableHead {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly ColumnHead[];
}

/** What threads are told: the tables themselves, or the name of a database that `openDatabase` takes. */
export type TablesInForce =
  | { readonly kind: "memory"; readonly tables: readonly TableData[] }
  | { readonly kind: "sqlite"; readonly database: string };

export interface Stored {
  readonly inForce: TablesInForce;
  readonly tables: readonly TableHead[];
  /** That the store takes, in memory or on disk. */
  readonly bytes: number;
}

/** A set of tables on its way into the store; those in force are not touched by it. */
export interface Loading {
  readonly sink: TableSink;
  /** Puts the set in the place of the one before. */
  commit(known: Known): Stored;
  abort(): void;
}

export interface TableStore {
  /** What an earlier run has left, null when there is nothing of use. */
  restore(): (Stored & { readonly known: Known }) | null;
  begin(): Loading;
}
