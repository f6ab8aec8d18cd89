// The interface of the stores that hold reference tables for all threads. There are two implementations: memory and
// SQLite.

import type { ColumnHead, TableData, TableSink } from "../../lib/refer-table/index.ts";

/** The version that the server sent with the tables that were last loaded successfully. */
export interface Known {
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** The digest of the downloaded document with the reference tables. */
  readonly digest: string;
}

export interface TableHead {
  readonly name: string;
  readonly rowCount: number;
  readonly columns: readonly ColumnHead[];
}

/**
 * The message that tells threads about new tables. It contains the tables themselves, or the name of an SQLite
 * database.
 */
export type TablesInForce =
  | { readonly kind: "memory"; readonly tables: readonly TableData[] }
  | { readonly kind: "sqlite"; readonly database: string };

export interface Stored {
  readonly inForce: TablesInForce;
  readonly tables: readonly TableHead[];
  /** The number of bytes that the tables take, in memory or on disk. */
  readonly bytes: number;
}

/** A new set of tables that is being loaded. The current tables stay in use until the new set is complete. */
export interface Loading {
  readonly sink: TableSink;
  /** Replaces the current set of tables by the new set that was loaded. */
  commit(known: Known): Stored;
  abort(): void;
}

export interface TableStore {
  /** Returns the tables that an earlier process has stored, or null when there are none that can be used. */
  restore(): (Stored & { readonly known: Known }) | null;
  begin(): Loading;
}
