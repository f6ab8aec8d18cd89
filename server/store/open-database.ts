// Opens the database of points: ClickHouse when the configuration names a server, else the store's own files in the
// data folder. Only the code of the chosen database is loaded.

import type { Millrace } from "../../lib/index.ts";
import { bytesIn } from "./bytes-in.ts";
import type { PointsDatabase } from "./points-database.ts";
import type { StoreStart } from "./protocol.ts";
import type { StoreEvents } from "./segments/state.ts";

export async function openDatabase(
  start: Omit<StoreStart, "wasm">,
  mill: Millrace,
  events: StoreEvents,
): Promise<PointsDatabase> {
  const { memoryLimit, clickhouse, queryTimeoutMs, keys } = start;
  if (clickhouse === null) {
    const { SegmentStore } = await import("./segments/store.ts");
    return await SegmentStore.open({ ...start, now: Date.now, mill, events });
  }
  const { ClickStore } = await import("./clickhouse.ts");
  return await ClickStore.open({ ...clickhouse, memory: bytesIn(memoryLimit), queryTimeoutMs, keys, now: Date.now });
}
