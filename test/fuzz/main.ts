// `npm run fuzz [-- --seconds N --doubles N --seed N] [name part...]`: checks the properties of test/properties and
// random regular expressions until the time is over. Also compares millions of numbers with JavaScript, and compares
// the fast parsers of line protocol with the slower exact parser on millions of lines. Prints its progress. A failure
// prints its seed, and the run exits with code 1.

import process from "node:process";
import { parseArgs } from "node:util";
import fc from "fast-check";
import type { Millrace } from "../../lib/index.ts";
import { loadMillrace, loadModule } from "../conformance/node-millrace.ts";
import { dqlProperties } from "../properties/dql.ts";
import { formProperties } from "../properties/forms.ts";
import { agreeOnDoubles, propertiesOf } from "../properties/properties.ts";
import { mulberry } from "../properties/random.ts";
import { shardingProperties } from "../properties/sharding.ts";
import { fuzzLines } from "./line-protocol.ts";
import { fuzzRegex } from "./regex.ts";
import { tiersOf } from "./tiers.ts";

const usage = `Usage: npm run fuzz -- [--seconds N] [--doubles N] [--lines N] [--seed N] [NAME PART...]

  --seconds N   for each property (60)
  --doubles N   random doubles to print and read as JavaScript does (10000000)
  --lines N     random and damaged lines that the parsers of line protocol must read alike (10000000)
  --seed N      where chance begins; the one of a failed run repeats it
  NAME PART     only properties whose name has one of these parts; "regex" compares the tiers of the engine with each other, with
                RegExp and with re2js, "numbers" is the run over doubles, "parsers" the one over line protocol
Example: npm run fuzz -- --seconds 10 --doubles 1000000 --seed 7 protobuf numbers`;

const { values, positionals } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    doubles: { type: "string", default: "10000000" },
    lines: { type: "string", default: "10000000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    help: { type: "boolean", short: "h" },
  },
  allowPositionals: true,
});
const seconds = Number(values.seconds);
const doubles = Number(values.doubles);
const lines = Number(values.lines);
const seed = Number(values.seed);

const wanted = (name: string) => positionals.length === 0 || positionals.some((part) => name.includes(part));

async function main(): Promise<number> {
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if (![seconds, doubles, lines, seed].every((value) => Number.isSafeInteger(value) && value >= 0)) {
    console.error(usage);
    return 2;
  }
  console.log(`seed ${seed}`);
  const mill = await loadMillrace();
  let failed = 0;
  for (const { name, property } of [
    ...propertiesOf(mill),
    ...formProperties(mill),
    ...shardingProperties,
    ...dqlProperties,
  ]) {
    if (!wanted(name)) continue;
    const runs = await fuzz(name, property);
    if (runs === undefined) failed++;
    else console.log(`ok      ${name}: ${runs} runs`);
  }
  if (wanted("regex")) {
    try {
      const until = Date.now() + seconds * 1000;
      const counts = await fuzzRegex({ seed, until, log: progress, tiers: tiersOf(await loadModule()) });
      console.log(
        `ok      regex: ${counts.expressions} expressions; texts compared by all tiers ${counts.tiers}, with RegExp ${counts.host}, with re2js ${counts.re2js}; code generated for ${counts.generated}`,
      );
    } catch (error) {
      failed++;
      console.log(`FAILED  regex: ${(error as Error).message.slice(0, 2000)}`);
    }
  }
  if (wanted("numbers")) {
    try {
      numbers(mill, doubles);
      console.log(`ok      numbers: ${doubles} doubles`);
    } catch (error) {
      failed++;
      console.log(`FAILED  numbers: ${(error as Error).message.slice(0, 2000)}`);
    }
  }
  if (wanted("parsers")) {
    try {
      const count = await fuzzLines({ seed, lines, loadModule, log: progress });
      console.log(`ok      parsers: ${count} lines`);
    } catch (error) {
      failed++;
      console.log(`FAILED  parsers: ${(error as Error).message.slice(0, 2000)}`);
    }
  }
  return failed === 0 ? 0 : 1;
}

/**
 * Checks a property in rounds of a thousand runs until the time is over; each round has its own seed. Returns the
 * number of runs, or undefined after a failure.
 */
async function fuzz(name: string, property: fc.IRawProperty<unknown>): Promise<number | undefined> {
  const began = performance.now();
  let runs = 0;
  for (let round = 0; performance.now() - began < seconds * 1000 || round === 0; round++) {
    const details = await fc.check(property, { seed: seed + round, numRuns: 1000, endOnFailure: false });
    runs += details.numRuns;
    progress(`${name}: ${runs} runs, ${Math.round((performance.now() - began) / 1000)} s`);
    if (details.failed) {
      console.log(`FAILED  ${name} (seed ${seed + round}, path ${details.counterexamplePath})`);
      console.log(String(details.errorInstance ?? "").slice(0, 2000));
      console.log(fc.stringify(details.counterexample).slice(0, 2000));
      return undefined;
    }
  }
  return runs;
}

/**
 * Compares numbers with JavaScript: half of them random doubles of every magnitude, half decimals as people write them.
 */
function numbers(mill: Millrace, count: number): void {
  const random = mulberry(seed);
  const bits = new Uint32Array(2);
  const value = new Float64Array(bits.buffer);
  const chunk: number[] = [];
  for (let done = 0; done < count; ) {
    chunk.length = 0;
    while (chunk.length < 500) {
      bits[0] = random() * 2 ** 32;
      bits[1] = random() * 2 ** 32;
      if (Number.isFinite(value[0])) chunk.push(value[0]!);
      chunk.push((Math.round(random() * 1e9) - 5e8) / 10 ** Math.floor(random() * 12));
    }
    agreeOnDoubles(mill, chunk);
    done += chunk.length;
    if (done % 100_000 < 500) progress(`numbers: ${done} doubles`);
  }
}

/** The shortest time in milliseconds between two progress lines when the output is not a terminal. */
const spacingMs = 30_000;
let printedAt = performance.now();

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}\r`);
  else if (performance.now() - printedAt > spacingMs) {
    printedAt = performance.now();
    console.error(text);
  }
}

process.exitCode = await main();
