// What the thread that loads reference tables is given and says.

import type { TableData } from "../../lib/refer-table/tables.ts";

export interface LoaderSetup {
  readonly url: string;
  readonly intervalMs: number;
  readonly maxBytes: number;
}

export type FromLoader =
  | { readonly kind: "progress"; readonly bytes: number }
  | {
      readonly kind: "loaded";
      readonly tables: readonly TableData[];
      readonly warnings: readonly string[];
      readonly bytes: number;
      readonly seconds: number;
    }
  | { readonly kind: "unchanged" }
  | { readonly kind: "failed"; readonly reasons: readonly string[] };
