// The messages to and from the worker thread that loads reference tables.

import type { TableHead, TablesInForce } from "./store.ts";

/** Where the reference tables (tables in which scripts look up values) are stored: on disk or in memory. */
export type StoreKind = "memory" | "sqlite-disk" | "sqlite-memory";

export interface LoaderSetup {
  readonly url: string;
  readonly intervalMs: number;
  readonly maxBytes: number;
  readonly store: StoreKind;
  /** The folder of the SQLite databases on disk. */
  readonly folder: string;
}

/** Describes the set of reference tables (tables in which scripts look up values) that is now in use. */
export interface TableReport {
  readonly inForce: TablesInForce;
  readonly tables: readonly Pick<TableHead, "name" | "rowCount">[];
  /** The number of bytes that the stored reference tables take. */
  readonly storeBytes: number;
}

export type FromLoader =
  | { readonly kind: "progress"; readonly bytes: number }
  | ({
      readonly kind: "loaded";
      readonly warnings: readonly string[];
      readonly bytes: number;
      readonly seconds: number;
    } & TableReport)
  /**
   * A message from the worker thread that loads reference tables. It says that the worker thread found tables
   * on the disk, stored by an earlier run, and that these tables are now in use. The worker thread sends it at
   * most once, directly after its own start.
   */
  | ({ readonly kind: "restored" } & TableReport)
  | { readonly kind: "unchanged" }
  | { readonly kind: "warning"; readonly message: string }
  | { readonly kind: "failed"; readonly reasons: readonly string[] };
