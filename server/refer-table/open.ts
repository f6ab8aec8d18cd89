// Opens the current reference tables (tables in which scripts look up values) in a thread that runs scripts.

import { ReferTables, type TableLookup } from "../../lib/refer-table/index.ts";
import type { TablesInForce } from "./store.ts";

export interface OpenTables {
  readonly lookup: TableLookup;
  /** Closes the reference tables. After this call, no value may be looked up in them. */
  close(): void;
}

/**
 * Opens the tables. Returns null when the tables cannot be opened, because newer tables have already replaced them; the
 * caller then receives a message about the newer tables. Each failure is passed to `warn`.
 */
export async function openTables(inForce: TablesInForce, warn: (message: string) => void): Promise<OpenTables | null> {
  if (inForce.kind === "memory") return { lookup: new ReferTables(inForce.tables), close: () => {} };
  const { openLookup } = await import("./sqlite-lookup.ts");
  try {
    let logged = false;
    const lookup = openLookup(inForce.database, (message) => {
      if (!logged) warn(`a look-up in reference tables failed: ${message}`);
      logged = true;
    });
    return { lookup, close: () => lookup.close() };
  } catch (error) {
    warn(`reference tables cannot be opened: ${(error as Error).message}`);
    return null;
  }
}
