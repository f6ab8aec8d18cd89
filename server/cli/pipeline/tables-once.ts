// Loads the reference tables of the configuration once, before the command line runs a script that looks values up in
// them.

import { setTimeout as sleep } from "node:timers/promises";
import type { Script, TableLookup } from "../../../lib/index.ts";
import type { Config } from "../../config/schema.ts";
import { memoryStore } from "../../refer-table/memory-store.ts";
import { openTables } from "../../refer-table/open.ts";
import { type Pulled, pullTables } from "../../refer-table/pull.ts";

export interface TablesOnce {
  /** Returns the function that looks up rows of reference tables; null until the tables are loaded. */
  readonly lookup: () => TableLookup | null;
  /** Waits until the tables are loaded, if the script or a script that it calls looks up values in them. */
  loadFor(script: Script, warn: (message: string) => void): Promise<void>;
}

type Settings = Pick<Config, "pipeline.refer_table_url" | "pipeline.refer_table_max_bytes">;

const asking = ["query_refer_table", "mquery_refer_table"];
const patienceMs = 20_000;

export function tablesOnce(settings: Settings, waitMs = patienceMs): TablesOnce {
  let lookup: TableLookup | null = null;
  let asked = false;
  return {
    lookup: () => lookup,
    loadFor: async ({ name, calls }, warn) => {
      if (asked || !asking.some((each) => calls.has(each))) return;
      asked = true;
      const say = (message: string) => warn(`${name} finds nothing in reference tables: ${message}`);
      if (settings["pipeline.refer_table_url"] === "") {
        say("the configuration names none (pipeline.refer_table_url)");
        return;
      }
      try {
        const pulled = await pullWithin(settings, waitMs);
        if (pulled.kind === "failed") for (const reason of pulled.reasons) say(reason);
        if (pulled.kind !== "loaded") return;
        for (const warning of pulled.warnings) warn(`reference tables: ${warning}`);
        lookup = (await openTables(pulled.stored.inForce, say))?.lookup ?? null;
      } catch (error) {
        say((error as Error).message);
      }
    },
  };
}

async function pullWithin(settings: Settings, waitMs: number): Promise<Pulled> {
  const url = new URL(settings["pipeline.refer_table_url"]);
  const deadline = AbortSignal.timeout(waitMs);
  try {
    return await pullTables({
      url,
      maxBytes: settings["pipeline.refer_table_max_bytes"],
      known: null,
      store: memoryStore(),
      fetch: (target, init) => fetch(target, { ...init, signal: deadline }),
      sleep: (ms) => sleep(ms, undefined, { signal: deadline }),
    });
  } catch (error) {
    if (deadline.aborted) throw new Error(`no answer within ${waitMs / 1000} s`);
    throw error;
  }
}
