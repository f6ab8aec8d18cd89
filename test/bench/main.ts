// `npm run bench [-- --json FILE] [name part...]`: every performance claim is a line of this table.
// A ratio is the baseline's time over ours in the same round, so 2.00x means twice as fast as the baseline.

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { loadMillrace } from "../conformance/node-millrace.ts";
import { encodePairs, transcodingMemory } from "./encode.ts";
import { measure, type Row, tableOf } from "./measure.ts";
import { nginxPairs } from "./nginx.ts";
import { scanPairs } from "./scan.ts";

const { values, positionals } = parseArgs({ options: { json: { type: "string" } }, allowPositionals: true });
const mill = await loadMillrace();
const rows: Row[] = [];
for (const pair of [...scanPairs(mill), ...encodePairs(mill), ...nginxPairs(mill)]) {
  if (positionals.length > 0 && !positionals.some((part) => pair.name.includes(part))) continue;
  process.stderr.write(`${pair.name} ...\n`);
  rows.push(measure(pair));
}
console.log(tableOf(rows));
const wantsMemory = positionals.length === 0 || positionals.includes("memory");
for (const line of wantsMemory ? transcodingMemory(mill) : []) console.log(line);
const wasm = readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url));
console.log(`millrace.wasm: ${wasm.length} bytes, ${gzipSync(wasm, { level: 9 }).length} gzipped (goal: under 61440)`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
