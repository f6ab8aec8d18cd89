// The messages to and from the thread that loads reference tables.

import type { TableHead, TablesInForce } from "./store.ts";

/** The place where the tables are kept. */
export type StoreKind = "memory" | "sqlite-disk" | "sqlite-memory";

export interface LoaderSetup {
  readonly url: string;
  readonly intervalMs: number;
  readonly maxBytes: number;
  readonly store: StoreKind;
  /** The folder of the databases on disk. */
  readonly folder: string;
}

/** A set of tables that is now in use. */
export interface TableReport {
  readonly inForce: TablesInForce;
  readonly tables: readonly Pick<TableHead, "name" | "rowCount">[];
  /** The bytes that the store takes up. */
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
  /** The tables that an earlier run has left. */
  | ({ readonly kind: "restored" } & TableReport)
  | { readonly kind: "unchanged" }
  | { readonly kind: "warning"; readonly message: string }
  | { readonly kind: "failed"; readonly reasons: readonly string[] };
