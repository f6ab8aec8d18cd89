// `npm run bench [-- --json FILE] [name part...]`: prints a table with one line for each claim that the project
// makes about its speed. A ratio is the baseline's time divided by Millrace's time in the same round, so 2.00x
// means twice as fast as the baseline. A second table lists the download sizes.

import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createMillrace } from "../../lib/index.ts";
import { instantiate } from "../../lib/wasm/module.ts";
import { loadMillrace } from "../conformance/node-millrace.ts";
import { measurePlans, planText } from "./dql/plan.ts";
import { checkedOptions, checkPairs, easyPairs } from "./easy.ts";
import { encodePairs, transcodingMemory } from "./encode.ts";
import { grokBatchPairs } from "./grok-batch.ts";
import { jobLines, jobPairs } from "./jobs.ts";
import { columns, measure, measureClosely, type Row, tableOf } from "./measure.ts";
import { findAllPairs, measureWarmUp, regexMeans, regexPairs } from "./regex.ts";
import { scanPairs } from "./scan.ts";
import { variedScanPairs } from "./scan-varied.ts";
import { measureCompile, scriptPairs } from "./scripts.ts";
import { shardingPairs } from "./sharding.ts";
import { measureSize, type SizeRow, sizes, sizeTableOf } from "./size.ts";
import { measureCreate, measureLoad, startNames } from "./start.ts";

const { values, positionals } = parseArgs({ options: { json: { type: "string" } }, allowPositionals: true });
const mill = await loadMillrace();
const rows: Row[] = [];
const isWanted = ({ name }: { readonly name: string }) =>
  positionals.length === 0 || positionals.some((part) => name.includes(part));
const module = await instantiate(readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url)));
const pairs = [
  ...scanPairs(mill),
  ...variedScanPairs(mill),
  ...encodePairs(mill),
  ...easyPairs(mill),
  ...jobPairs(mill),
  ...scriptPairs(mill),
  ...shardingPairs(),
].filter(isWanted);
const checks = checkPairs(await createMillrace({ ...checkedOptions, wasm: module }), module).filter(isWanted);
const findAll = findAllPairs().filter(isWanted);
for (const pair of [...pairs, ...regexPairs(module, isWanted), ...findAll, ...grokBatchPairs(module, isWanted)]) {
  process.stderr.write(`${pair.name} ...\n`);
  rows.push(measure(pair));
}
for (const pair of checks) rows.push(measureClosely(pair));
const sizeRows: SizeRow[] = [];
for (const thing of sizes.filter(isWanted)) sizeRows.push(await measureSize(thing));
const jobText = [{ name: "job" }].filter(isWanted).map(() => {
  const lines = jobLines(mill).map(({ name, contender, lines: each }) => [name, contender, String(each)]);
  return columns([["job", "with", "lines of code"], ...lines]);
});
const warmUps = [{ name: "grok warm-up" }].filter(isWanted).map(() => measureWarmUp(module));
const warmUpText = warmUps.map(
  ({ name, medianMs, highestMs, highest }) =>
    `${name}: median ${medianMs.toFixed(1)} ms, highest ${highestMs.toFixed(1)} ms (${highest})`,
);
const compileTimes = [{ name: "compile a script" }].filter(isWanted).map(() => measureCompile(mill));
if (isWanted({ name: startNames.create })) compileTimes.push(await measureCreate());
if (isWanted({ name: startNames.load })) compileTimes.push(measureLoad());
const compileText = compileTimes.map(({ name, medianMs }) => `${name}: median ${medianMs.toFixed(1)} ms`);
const plans = [{ name: "DQL to SQL" }].some(isWanted) ? await measurePlans() : [];
const tables = [
  rows.length > 0 ? tableOf(rows) : "",
  sizeRows.length > 0 ? sizeTableOf(sizeRows) : "",
  ...jobText,
  ...regexMeans(rows),
  ...warmUpText,
  ...compileText,
  planText(plans),
];
console.log(tables.filter((table) => table !== "").join("\n\n"));
const memory = positionals.length === 0 || positionals.includes("memory") ? transcodingMemory(mill) : [];
for (const line of memory) console.log(line);
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify([...rows, ...sizeRows, ...warmUps, ...compileTimes, ...plans], null, 2)}\n`,
  );

// The benchmarks that measure the memory of a process. Each of them runs in a process of its own.
for (const name of ["refer-table", "refer-table-sqlite"]) {
  if (!isWanted({ name: "reference tables" })) break;
  const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const { status } = spawnSync(process.execPath, ["--expose-gc", program], { stdio: "inherit" });
  if (status !== 0) process.exitCode = status ?? 1;
}
