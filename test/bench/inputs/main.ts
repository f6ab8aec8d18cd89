// `npm run bench:inputs`: measures the inputs tail and syslog and the memory of an agent, beside rsyslog and syslog-ng
// where they are installed.

import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { type Memory, memoryUse } from "./memory.ts";
import { type Program, programs } from "./programs.ts";
import { type Rate, rateOf } from "./syslog.ts";
import { idleOf, latencyOf, type Throughput, throughputOf } from "./tail.ts";

const usage = `Usage: npm run bench:inputs -- [--mb 1000] [--rounds 3] [--files 1000] [--lines 500] [--idle-files 10000]
                               [--idle-seconds 30] [--memory-points 10000000] [--rates 5000,10000,...] [--seconds 3]
                               [--only NAME]... [--json FILE]

  --mb N            length of the file that is read, in MB (1000; 0 = left out)
  --rounds N        runs of each program, of which the median is shown (3)
  --files N         files that are watched while single lines are written (1000; 0 = left out)
  --lines N         single lines (500)
  --idle-files N    files that do not change while processor time is measured (10000; 0 = left out)
  --idle-seconds N  seconds of this measurement (30)
  --memory-points N  points after which the memory of an agent is measured again (10000000; 0 = left out)
  --rates LIST      messages per second of syslog over UDP, in rising order (5000 to 200000; 0 = left out)
  --seconds N       seconds of each rate (3)
  --only NAME       only programs whose name holds NAME; may be given again
  --json FILE       the figures as JSON
`;

const { values } = parseArgs({
  options: {
    mb: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    files: { type: "string", default: "1000" },
    lines: { type: "string", default: "500" },
    "idle-files": { type: "string", default: "10000" },
    "idle-seconds": { type: "string", default: "30" },
    "memory-points": { type: "string", default: "10000000" },
    rates: { type: "string", default: "5000,10000,20000,30000,40000,60000,80000,100000,150000,200000" },
    seconds: { type: "string", default: "3" },
    only: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) process.stdout.write(usage);
else await main();

async function main(): Promise<void> {
  const isWanted = ({ name }: Program) => values.only.length === 0 || values.only.some((part) => name.includes(part));
  const wanted = programs.filter(isWanted);
  const present = wanted.filter(({ missing }) => missing === undefined);
  const figures: Record<string, unknown> = {};
  const say = (line: string) => process.stdout.write(`${line}\n`);
  say("All programs parse nginx access lines into fields and write them to a file. The programs take turns.");
  for (const { name, missing } of wanted) if (missing !== undefined) say(`${name} left out: ${missing}`);
  if (Number(values.mb) > 0) {
    const rows = await inRounds(present, (program) => throughputOf(program, Number(values.mb)));
    figures.tail = rows.map((runs) => medianBy(runs, ({ megabytesPerSecond }) => megabytesPerSecond));
    for (const row of figures.tail as Throughput[])
      say(
        `tail ${row.name}: ${shown(row.megabytesPerSecond)} MB/s, ${shown(row.cpuSecondsPerGigabyte)} s of CPU per GB, peak ${shown(row.peakMiB)} MiB (${shown(row.megabytes)} MB)`,
      );
  }
  const ownIsWanted = present.some(({ name }) => name === "millrace");
  if (ownIsWanted && Number(values.files) > 0) {
    const latency = await latencyOf(Number(values.files), Number(values.lines));
    figures.latency = latency;
    say(
      `tail millrace, one line with ${latency.files} files watched: p50 ${shown(latency.p50Ms)} ms, p99 ${shown(latency.p99Ms)} ms`,
    );
  }
  if (ownIsWanted && Number(values["idle-files"]) > 0) {
    const idle = await idleOf(Number(values["idle-files"]), Number(values["idle-seconds"]));
    figures.idle = idle;
    const percent = idle.cpu === undefined ? undefined : 100 * idle.cpu;
    say(`tail millrace, ${idle.files} idle files: ${shown(percent)} % of a core, peak ${shown(idle.peakMiB)} MiB`);
  }
  if (ownIsWanted) {
    const memory = await memoryUse(Number(values["memory-points"]));
    figures.memory = memory;
    const bare = `node alone ${sizes(memory.bare)}`;
    say(`memory millrace, idle 10 s after its start: ${sizes(memory.idle)} (${bare})`);
    if (memory.after !== undefined)
      say(`memory millrace, idle 10 s after ${memory.points} points: ${sizes(memory.after)}`);
  }
  const rates = values.rates.split(",").map(Number);
  if (rates[0]! > 0) {
    const rows = await inRounds(present, (program) => rateOf(program, rates, Number(values.seconds)));
    figures.syslog = rows.map((runs) => medianBy(runs, ({ perSecond }) => perSecond));
    for (const row of figures.syslog as Rate[])
      say(
        `syslog udp ${row.name}: ${row.perSecond} messages/s without loss, ${shown(row.cpuMicrosPerMessage)} us of CPU each`,
      );
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, null, 2)}\n`);
}

/** Measures the programs one after the other, in several rounds. Returns the results by program. */
async function inRounds<Result>(
  present: readonly Program[],
  measure: (program: Program) => Promise<Result>,
): Promise<Result[][]> {
  const results = present.map((): Result[] => []);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [at, program] of present.entries()) {
      process.stderr.write(`${program.name}, round ${round + 1} ...\n`);
      try {
        results[at]!.push(await measure(program));
      } catch (error) {
        if (program.name === "millrace") throw error;
        process.stdout.write(`${program.name} failed: ${(error as Error).message}\n`);
      }
    }
  }
  return results.filter((runs) => runs.length > 0);
}

function medianBy<Result>(results: readonly Result[], by: (result: Result) => number): Result {
  return results.toSorted((left, right) => by(left) - by(right))[Math.floor(results.length / 2)]!;
}

function sizes({ residentMiB, proportionalMiB }: Memory): string {
  return `${shown(residentMiB)} MiB resident, ${shown(proportionalMiB)} MiB by share`;
}

function shown(value: number | undefined): string {
  return value === undefined ? "?" : value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
