// A process of its own for the memory of reference tables: 1.5 million rows that differ (two text columns, int, float, bool;
// about 130 MB of JSON) are loaded, replaced by an update while the first set is in force, and looked up. Prints one line
// for each figure. Memory is that of the whole process, Node's own included.

import process from "node:process";
import { readReferTables } from "../../lib/refer-table/read-document.ts";
import { memorySink } from "../../lib/refer-table/sink.ts";
import { ReferTables } from "../../lib/refer-table/tables.ts";

const rows = 1_500_000;
const rowsPerPiece = 2000;
const lookups = 200_000;

const encoder = new TextEncoder();
const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
const idOf = (row: number) => `id-${row.toString(36).padStart(8, "0")}`;

function* pieces(salt: string): Iterable<Uint8Array> {
  yield encoder.encode(
    '[{"table_name":"big","column_name":["id","name","n","f","b"],"column_type":["string","string","int","float","bool"],"row_data":[',
  );
  for (let row = 0; row < rows; row += rowsPerPiece) {
    const texts: string[] = [];
    for (let at = row; at < row + rowsPerPiece; at++) {
      texts.push(`["${idOf(at)}","customer ${salt} number ${at}",${at * 7},${at / 8},${at % 2 === 0}]`);
    }
    yield encoder.encode((row === 0 ? "" : ",") + texts.join(","));
  }
  yield encoder.encode("]}]");
}

function load(salt: string): { tables: ReferTables; seconds: number; bytes: number } {
  const began = performance.now();
  const sink = memorySink();
  const reading = readReferTables(sink);
  let bytes = 0;
  for (const piece of pieces(salt)) {
    bytes += piece.length;
    reading.push(piece);
  }
  const read = reading.end();
  if ("errors" in read) throw new Error(read.errors.join("\n"));
  return { tables: new ReferTables(sink.tables), seconds: (performance.now() - began) / 1000, bytes };
}

/** Best of five rounds, in microseconds of processor time, which other processes do not lengthen; keys in no order. */
function lookupTime(tables: ReferTables, column: string, wantedOf: (row: number) => string | number): number {
  const best: number[] = [];
  const wanted = Array.from({ length: lookups }, (_, at) => wantedOf((at * 7919) % rows));
  for (let round = 0; round < 5; round++) {
    const began = process.cpuUsage();
    for (const value of wanted)
      if (tables.find("big", [column], [value]) === null) throw new Error(`${value} not found`);
    const { user, system } = process.cpuUsage(began);
    best.push((user + system) / lookups);
  }
  return Math.min(...best);
}

/** Memory that buffers leave is given back some time after they are collected. */
async function collect(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    (globalThis as { gc?: () => void }).gc?.();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
const empty = process.memoryUsage().rss;
const first = load("a");
await collect();
const resident = process.memoryUsage().rss;
let { tables } = load("b");
const peak = process.resourceUsage().maxRSS * 1024;
await collect();
const byText = lookupTime(tables, "id", idOf);
const byInt = lookupTime(tables, "n", (row) => row * 7);
const indexed = process.memoryUsage().rss;
// The first set is in force until here.
if (first.tables.find("big", ["id"], [idOf(1)]) === null) throw new Error("the first set is gone");
tables = first.tables;

console.log(`reference tables: ${rows} rows, ${mebibytes(first.bytes)} of JSON, read in ${first.seconds.toFixed(1)} s`);
console.log(`  in typed arrays          ${mebibytes(tables.bytes)}`);
console.log(`  process before           ${mebibytes(empty)}`);
console.log(`  process with the tables  ${mebibytes(resident)}`);
console.log(`  process, peak of an update while the old tables are in force  ${mebibytes(peak)}`);
console.log(`  process with both sets and two indexes  ${mebibytes(indexed)}`);
console.log(`  look-up by text          ${byText.toFixed(2)} us`);
console.log(`  look-up by int           ${byInt.toFixed(2)} us`);
