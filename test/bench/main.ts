// `npm run bench [-- --json FILE] [name part...]`: every performance claim is a line of this table.
// A ratio is the baseline's time over ours in the same round, so 2.00x means twice as fast as the baseline. A second table
// has the sizes.

import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { loadMillrace } from "../conformance/node-millrace.ts";
import { measure, type Row, tableOf } from "./measure.ts";
import { nginxPairs } from "./nginx.ts";
import { scanPairs } from "./scan.ts";
import { shardingPairs } from "./sharding.ts";
import { measureSize, type SizeRow, sizes, sizeTableOf } from "./size.ts";

const { values, positionals } = parseArgs({ options: { json: { type: "string" } }, allowPositionals: true });
const mill = await loadMillrace();
const rows: Row[] = [];
const isWanted = ({ name }: { readonly name: string }) =>
  positionals.length === 0 || positionals.some((part) => name.includes(part));
for (const pair of [...scanPairs(mill), ...nginxPairs(mill), ...shardingPairs()].filter(isWanted)) {
  process.stderr.write(`${pair.name} ...\n`);
  rows.push(measure(pair));
}
const sizeRows: SizeRow[] = [];
for (const thing of sizes.filter(isWanted)) sizeRows.push(await measureSize(thing));
const tables = [rows.length > 0 ? tableOf(rows) : "", sizeRows.length > 0 ? sizeTableOf(sizeRows) : ""];
console.log(tables.filter((table) => table !== "").join("\n\n"));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify([...rows, ...sizeRows], null, 2)}\n`);
