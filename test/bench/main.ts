// `npm run bench [-- --json FILE] [name part...]`: every performance claim is a line of this table.
// A ratio is the baseline's time over ours in the same round, so 2.00x means twice as fast as the baseline.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { loadMillrace } from "../conformance/node-millrace.ts";
import { measure, type Row, tableOf } from "./measure.ts";
import { nginxPairs } from "./nginx.ts";
import { scanPairs } from "./scan.ts";

const { values, positionals } = parseArgs({ options: { json: { type: "string" } }, allowPositionals: true });
const mill = await loadMillrace();
const isAsked = (name: string) => positionals.length === 0 || positionals.some((part) => name.includes(part));
const rows: Row[] = [];
for (const pair of [...scanPairs(mill), ...nginxPairs(mill)]) {
  if (!isAsked(pair.name)) continue;
  process.stderr.write(`${pair.name} ...\n`);
  rows.push(measure(pair));
}
console.log(tableOf(rows));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);

// Its figures are of memory, so it has a process of its own.
if (isAsked("reference tables")) {
  const program = fileURLToPath(new URL("./refer-table.js", import.meta.url));
  process.exitCode = spawnSync(process.execPath, ["--expose-gc", program], { stdio: "inherit" }).status ?? 1;
}
