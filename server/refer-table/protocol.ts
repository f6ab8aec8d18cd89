// What the thread that loads reference tables is given and says.

import type { TableHead, TablesInForce } from "./store.ts";

/** Where the tables are kept. */
export type StoreKind = "memory" | "sqlite-disk" | "sqlite-memory";

export interface LoaderSetup {
  readonly url: string;
  readonly intervalMs: number;
  readonly maxBytes: number;
  readonly store: StoreKind;
  /** Of the databases on disk. */
  readonly folder: string;
}

/** A set of tables that is in force now. */
export interface TableReport {
  readonly inForce: TablesInForce;
  readonly tables: readonly Pick<TableHead, "name" | "rowCount">[];
  /** What the store takes. */
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
  /** What an earlier run has left. */
  | ({ readonly kind: "restored" } & TableReport)
  | { readonly kind: "unchanged" }
  | { readonly kind: "warning"; readonly message: string }
  | { readonly kind: "failed"; readonly reasons: readonly string[] };
