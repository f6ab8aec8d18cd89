// `npm run conformance -- FILE.jsonl...`: runs vector files against the library. Prints every failing case with the
// expected and the actual result, then `N passed, M failed`. Exits with 1 when a case fails.

import { readFileSync } from "node:fs";
import process from "node:process";
import { type CaseResult, runCase } from "./case.ts";
import { type CaseHost, createCaseHost } from "./case-host.ts";
import { parseExact } from "./exact-json.ts";

const usage = `Usage: npm run conformance -- FILE.jsonl...

Runs each case of the files ({"id","note","request","expect"}, one per line) and compares the answer.
Example: npm run conformance -- test/conformance/language.jsonl test/conformance/points.jsonl`;

async function main(files: readonly string[]): Promise<number> {
  if (files.length === 0 || files.includes("--help")) {
    console.log(usage);
    return files.length === 0 ? 1 : 0;
  }
  const host = await createCaseHost(readFileSync(new URL("../../lib/wasm/millrace.wasm", import.meta.url)));
  let passed = 0;
  let failed = 0;
  for (const file of files) {
    const lines = readFileSync(file, "utf8").split("\n");
    for (const [at, line] of lines.entries()) {
      if (line.trim() === "") continue;
      const result = await answer(host, line, `${file}:${at + 1}`);
      if (result.differences.length === 0) {
        passed++;
        continue;
      }
      failed++;
      console.log(`FAILED ${result.id}: ${result.note}`);
      for (const difference of result.differences) console.log(`  ${difference}`);
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function answer(host: CaseHost, line: string, place: string): Promise<CaseResult> {
  try {
    return await runCase(host, parseExact(line));
  } catch (error) {
    return {
      id: place,
      note: "the case could not be run",
      differences: [String((error as Error).stack ?? error)],
    };
  }
}

process.exitCode = await main(process.argv.slice(2));
