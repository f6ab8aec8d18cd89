// The Millrace instance on which conformance vectors run. Its clock always returns the time that the vectors
// assume, the instance sends no requests to the network, and its reference tables are those of the current case.

import { createMillrace, type Millrace, parseReferTables, ReferTables } from "../../lib/index.ts";

export interface CaseHost {
  readonly mill: Millrace;
  /** Activates the reference tables of a JSON document; undefined removes all tables. */
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
