// Keeps reference tables (tables in which scripts look up values) as typed arrays in memory that all threads share.

import { memorySink, ReferTables } from "../../lib/refer-table/index.ts";
import type { TableStore } from "./store.ts";

export function memoryStore(): TableStore {
  return {
    restore: () => null,
    begin: () => {
      const sink = memorySink({ shared: true });
      return {
        sink,
        commit: () => {
          const { tables } = sink;
          return { inForce: { kind: "memory", tables }, tables, bytes: new ReferTables(tables).bytes };
        },
        abort: () => {},
      };
    },
  };
}
