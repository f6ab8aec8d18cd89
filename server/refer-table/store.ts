// The interface of the stores that keep reference tables for all threads. There are two stores: memory and SQLite.

import type { ColumnHead, TableData, TableSink } from "../../lib/refer-table/index.ts";

/** The version of the last good answer. */
export interface Known {
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** The digest of the document's bytes. */
  readonly digest: string;
}

export interface TableHead {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly ColumnHead[];
}

/** The message to threads about new tables: the tables themselves, or the name of a database. */
export type TablesInForce =
  | { readonly kind: "memory"; readonly tables: readonly TableData[] }
  | { readonly kind: "sqlite"; readonly database: string };

export interface Stored {
  readonly inForce: TablesInForce;
  readonly tables: readonly TableHead[];
  /** The bytes that the store takes up, in memory or on disk. */
  readonly bytes: number;
}

/** A set of tables that is being loaded; the current tables do not change meanwhile. */
export interface Loading {
  readonly sink: TableSink;
  /** Replaces the current set by this one. */
  commit(known: Known): Stored;
  abort(): void;
}

export interface TableStore {
  /** Returns the tables that an earlier run has left, or null when there are none that can be used. */
  restore(): (Stored & { readonly known: Known }) | null;
  begin(): Loading;
}
