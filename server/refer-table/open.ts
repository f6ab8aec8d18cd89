// Opens the current reference tables in a thread that runs scripts.

import { ReferTables, type TableLookup } from "../../lib/refer-table/index.ts";
import type { TablesInForce } from "./store.ts";

export interface OpenTables {
  readonly lookup: TableLookup;
  /** Closes the tables; no look-up may follow. */
  close(): void;
}

/**
 * Opens the tables. Returns null when they have been replaced already: then the next ones are on their way. `warn`
 * gets a message about each failure.
 */
export async function openTables(inForce: TablesInForce, warn: (message: string) => void): Promise<OpenTables | null> {
  if (inForce.kind === "memory") return { lookup: new ReferTables(inForce.tables), close: () => {} };
  const { openLookup } = await import("./sqlite-lookup.ts");
  try {
    let told = false;
    const lookup = openLookup(inForce.database, (message) => {
      if (!told) warn(`a look-up in reference tables failed: ${message}`);
      told = true;
    });
    return { lookup, close: () => lookup.close() };
  } catch (error) {
    warn(`reference tables cannot be opened: ${(error as Error).message}`);
    return null;
  }
}
