// Measures reference tables as typed arrays, in a process of its own: loading, lookups, and an update during which the
// previous tables stay in use. Prints one line for each figure. Memory is that of the whole process, including Node
// itself.

import process from "node:process";
import { memorySink } from "../../lib/refer-table/sink.ts";
import { ReferTables } from "../../lib/refer-table/tables.ts";
import { collect, idOf, load, mebibytes, printLookups, rows } from "./refer-table-rows.ts";

function loadTables(salt: string): { tables: ReferTables; seconds: number; bytes: number } {
  const began = performance.now();
  const sink = memorySink();
  const bytes = load(sink, salt);
  return { tables: new ReferTables(sink.tables), seconds: (performance.now() - began) / 1000, bytes };
}

const empty = process.memoryUsage().rss;
const first = loadTables("a");
await collect();
const resident = process.memoryUsage().rss;
let { tables } = loadTables("b");
const peak = process.resourceUsage().maxRSS * 1024;
await collect();
console.log(
  `reference tables in memory: ${rows} rows, ${mebibytes(first.bytes)} of JSON, read in ${first.seconds.toFixed(1)} s`,
);
printLookups(tables);
const indexed = process.memoryUsage().rss;
// The new tables are in memory. A look-up in the previous tables shows that they stayed usable during the update.
if (first.tables.find("big", ["id"], [idOf(1)]) === null) throw new Error("the first set is gone");
tables = first.tables;

console.log(`  in typed arrays          ${mebibytes(tables.bytes)}`);
console.log(`  process before           ${mebibytes(empty)}`);
console.log(`  process with the tables  ${mebibytes(resident)}`);
console.log(`  process, peak of an update while the old tables are in force  ${mebibytes(peak)}`);
console.log(`  process with both sets and two indexes  ${mebibytes(indexed)}`);
