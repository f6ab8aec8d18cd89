// The Millrace that vectors run on: its clock stands still where they say, requests reach no network, and the reference
// tables are those of the case at hand.

import { createMillrace, type Millrace, parseReferTables, ReferTables } from "../../lib/index.ts";

export interface CaseHost {
  readonly mill: Millrace;
  /** Puts the tables of a document in force, none for undefined. */
  setTables(document: string | undefined): void;
}

export async function createCaseHost(wasm: BufferSource): Promise<CaseHost> {
  let tables: ReferTables | null = null;
  const mill = await createMillrace({
    wasm,
    timeZone: "UTC",
    clock: () => 1700000000000000000n,
    random: () => 0.5,
    fetch: () => Promise.reject(new TypeError("no network here")),
    referTables: () => tables,
  });
  return {
    mill,
    setTables: (document) => {
      tables = null;
      if (document === undefined) return;
      const loaded = parseReferTables(new TextEncoder().encode(document));
      if ("tables" in loaded) tables = new ReferTables(loaded.tables);
    },
  };
}
