// `npm run bench:http`: what the write interface takes, over HTTP, from a load generator in a process of its own.
//
// Each cell is a fresh server. Points and bytes count when they were answered with 2xx; processor time and memory are those
// of the server's process (Linux). With --memory-points the last table says what a server holds after so many points.

import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { generate, type Size } from "./generate.ts";
import type { Measured } from "./protocol.ts";
import { type Target, targets } from "./targets.ts";

const usage = `Usage: npm run bench:http -- [--seconds 2] [--points 1,100,5000] [--connections 1,16] [--only NAME]...
                             [--memory-points 0] [--json FILE]

  --seconds N         length of a run (2)
  --points LIST       points of one body (1,100,5000)
  --connections LIST  connections at once (1,16)
  --only NAME         only targets whose name holds NAME; may be given again
  --memory-points N   then: resident memory after N points in bodies of 5,000, e.g. 10000000 (0 = left out)
  --json FILE         the rows as JSON
`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    points: { type: "string", default: "1,100,5000" },
    connections: { type: "string", default: "1,16" },
    only: { type: "string", multiple: true, default: [] },
    "memory-points": { type: "string", default: "0" },
    json: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

interface Row extends Measured {
  readonly target: string;
  readonly pointsPerBody: number;
  readonly connections: number;
  /** Undefined where the system does not tell. */
  readonly cpuSeconds: number | undefined;
  readonly residentBytes: number | undefined;
}

const numbers = (text: string) => text.split(",").map(Number);
const warmupSeconds = 0.5;
const memoryBody = 5000;
const memoryConnections = 16;

if (values.help) process.stdout.write(usage);
else await main();

async function main(): Promise<void> {
  const isWanted = ({ name }: Target) => values.only.length === 0 || values.only.some((part) => name.includes(part));
  const wanted = targets.filter(isWanted);
  const present = wanted.filter(({ missing }) => missing === undefined);
  const rows: Row[] = [];
  for (const pointsPerBody of numbers(values.points)) {
    for (const connections of numbers(values.connections)) {
      for (const target of present) {
        process.stderr.write(`${target.name}, ${pointsPerBody} points a body, ${connections} connections ...\n`);
        rows.push(await measure(target, { pointsPerBody, connections, seconds: Number(values.seconds), points: 0 }));
      }
    }
  }
  const memory: Row[] = [];
  if (Number(values["memory-points"]) > 0) {
    for (const target of present) {
      process.stderr.write(`${target.name}, ${values["memory-points"]} points ...\n`);
      const size = { pointsPerBody: memoryBody, connections: memoryConnections };
      memory.push(await measure(target, { ...size, seconds: 0, points: Number(values["memory-points"]) }));
    }
  }
  for (const table of [rows, memory]) if (table.length > 0) process.stdout.write(`${tableOf(table)}\n\n`);
  for (const { name, missing } of wanted)
    if (missing !== undefined) process.stdout.write(`${name} left out: ${missing}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify([...rows, ...memory], null, 2)}\n`);
}

async function measure(target: Target, size: Size): Promise<Row> {
  const server = await target.start();
  try {
    await generate(server, { ...size, seconds: warmupSeconds, points: 0 });
    const before = cpuSecondsOf(server.pid);
    const measured = await generate(server, size);
    const after = cpuSecondsOf(server.pid);
    return {
      target: target.name,
      pointsPerBody: size.pointsPerBody,
      connections: size.connections,
      ...measured,
      cpuSeconds: before === undefined || after === undefined ? undefined : after - before,
      residentBytes: residentBytesOf(server.pid),
    };
  } finally {
    await server.stop();
  }
}

/** User and system time; the kernel counts in hundredths of a second. */
function cpuSecondsOf(pid: number): number | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentBytesOf(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/status`) ?? "")?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function tableOf(rows: readonly Row[]): string {
  const cells = [
    [
      "target",
      "points/body",
      "conn",
      "points/s",
      "MB/s",
      "p50 ms",
      "p99 ms",
      "cpu s/Mpoint",
      "RSS MiB",
      "points",
      "refused",
    ],
    ...rows.map((row) => [
      row.target,
      String(row.pointsPerBody),
      String(row.connections),
      Math.round(row.points / row.seconds).toLocaleString("en-US"),
      (row.bytes / row.seconds / 1e6).toFixed(1),
      row.p50.toFixed(2),
      row.p99.toFixed(2),
      row.cpuSeconds === undefined || row.points === 0 ? "-" : (row.cpuSeconds / (row.points / 1e6)).toFixed(2),
      row.residentBytes === undefined ? "-" : (row.residentBytes / 1024 ** 2).toFixed(0),
      row.points.toLocaleString("en-US"),
      String(row.refused),
    ]),
  ];
  const widths = cells[0].map((_, at) => Math.max(...cells.map((line) => line[at].length)));
  return cells
    .map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join("  "))
    .join("\n");
}
