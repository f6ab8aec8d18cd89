// The reference tables whose memory and speed are measured: 1.5 million distinct rows (two string columns, int, float,
// bool), about 200 MB of JSON, in chunks as they would arrive over the network.

import process from "node:process";
import { readReferTables } from "../../lib/refer-table/read-document.ts";
import type { TableSink } from "../../lib/refer-table/sink.ts";
import type { TableLookup } from "../../lib/refer-table/tables.ts";

export const rows = 1_500_000;
const rowsPerPiece = 2000;
const lookups = 100_000;

const encoder = new TextEncoder();
export const idOf = (row: number) => `id-0d2f7a1c-55b1-4c7e-${row.toString(36).padStart(12, "0")}`;
export const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

function* pieces(salt: string): Iterable<Uint8Array> {
  yield encoder.encode(
    '[{"table_name":"big","column_name":["id","name","n","f","b"],"column_type":["string","string","int","float","bool"],"row_data":[',
  );
  for (let row = 0; row < rows; row += rowsPerPiece) {
    const texts: string[] = [];
    for (let at = row; at < row + rowsPerPiece; at++) {
      const name = `customer ${salt} number ${at} of the northern region, contract 2026-11 standard`;
      texts.push(`["${idOf(at)}","${name}",${at * 7},${at / 8},${at % 2 === 0}]`);
    }
    yield encoder.encode((row === 0 ? "" : ",") + texts.join(","));
  }
  yield encoder.encode("]}]");
}

/**
 * Loads the reference tables into `sink`, the object that stores them. Returns the size of the JSON document in bytes.
 */
export function load(sink: TableSink, salt: string): number {
  const reading = readReferTables(sink);
  let bytes = 0;
  for (const piece of pieces(salt)) {
    bytes += piece.length;
    reading.push(piece);
  }
  const read = reading.end();
  if ("errors" in read) throw new Error(read.errors.join("\n"));
  return bytes;
}

/**
 * Returns the processor time of one look-up in microseconds, in the fastest of several rounds. Processor time does not
 * include the time of other processes. The keys are looked up in random order.
 */
export function lookupTime(tables: TableLookup, column: string, wantedOf: (row: number) => string | number): number {
  const best: number[] = [];
  const wanted = Array.from({ length: lookups }, (_, at) => wantedOf((at * 7919) % rows));
  for (let round = 0; round < 10; round++) {
    const began = process.cpuUsage();
    for (const value of wanted)
      if (tables.find("big", [column], [value]) === null) throw new Error(`${value} not found`);
    const { user, system } = process.cpuUsage(began);
    best.push((user + system) / lookups);
  }
  return Math.min(...best);
}

export function printLookups(tables: TableLookup): void {
  console.log(`  look-up by text          ${lookupTime(tables, "id", idOf).toFixed(2)} us`);
  console.log(`  look-up by int           ${lookupTime(tables, "n", (row) => row * 7).toFixed(2)} us`);
}

/** Collects garbage several times, because the memory of collected buffers returns to the system only after a while. */
export async function collect(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    (globalThis as { gc?: () => void }).gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
