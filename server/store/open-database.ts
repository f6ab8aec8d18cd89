// Which database keeps the points: DuckDB in the data folder, or ClickHouse where the configuration names one. Only what is used is loaded.

import type { Millrace } from "../../lib/index.ts";
import type { PointsDatabase } from "./points-database.ts";
import type { StoreStart } from "./protocol.ts";

export async function openDatabase(start: Omit<StoreStart, "wasm">, mill: Millrace): Promise<PointsDatabase> {
  const { file, memoryLimit, maxQueries, maxQueryBytes, clickhouse, queryTimeoutMs } = start;
  if (clickhouse === null) {
    const { DuckStore } = await import("./duckdb.ts");
    return await DuckStore.open({ file, memoryLimit, maxQueries, maxQueryBytes, now: Date.now, mill });
  }
  const { ClickStore } = await import("./clickhouse.ts");
  return await ClickStore.open({ ...clickhouse, memory: bytesIn(memoryLimit), queryTimeoutMs, now: Date.now });
}

const units: Readonly<Record<string, number>> = {
  ...{ "": 1, B: 1, KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30, TIB: 2 ** 40 },
};

/** Of `1GB` or `512MiB`, the way DuckDB reads it; 0 of nothing. */
export function bytesIn(size: string): number {
  if (size.trim() === "") return 0;
  const [, number, unit] = /^\s*([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)\s*$/i.exec(size) ?? [];
  const factor = units[(unit ?? "?").toUpperCase()];
  if (number === undefined || factor === undefined)
    throw new Error(`platform.memory_limit: ${JSON.stringify(size)} is no size, such as 512MB`);
  return Math.round(Number(number) * factor);
}
