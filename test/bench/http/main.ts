// `npm run bench:http`: what the write interface takes, over HTTP, from a load generator in a process of its own.
//
// Each cell is a fresh server, and the median of some rounds in which the servers take turns, so that what else the machine
// does meets all of them. With --memory-points the last table says what a server holds after so many points.

import { writeFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { generate, type Size } from "./generate.ts";
import { cpuSecondsOf, residentBytesOf } from "./process-use.ts";
import type { Measured } from "./protocol.ts";
import { onEachCore, type Target, targets } from "./targets.ts";

const usage = `Usage: npm run bench:http -- [--seconds 2] [--rounds 3] [--warmup 15] [--points 1,100,5000]
                             [--connections 1,16] [--only NAME]... [--memory-points 0] [--json FILE]

  --seconds N         length of a run (2)
  --rounds N          runs of a cell, of which the median is shown (3)
  --warmup N          most seconds before a run, in which a new process compiles what it needs (15)
  --points LIST       points of one body (1,100,5000)
  --connections LIST  connections at once (1,16)
  --only NAME         only targets whose name holds NAME; may be given again
  --memory-points N   then: resident memory after N points in bodies of 5,000, e.g. 10000000 (0 = left out)
  --json FILE         the rows as JSON
`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    rounds: { type: "string", default: "3" },
    warmup: { type: "string", default: "15" },
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
  /** Taken and not sent on; undefined of those that send nothing on. */
  readonly queued: number | undefined;
}

const numbers = (text: string) => text.split(",").map(Number);
/** What the figures stand for, printed above them. */
const settings = `Bodies of line protocol, three tags and three fields a point, sent by a process of its own; each connection sends the next body
when the last one is answered. A cell is the median of the rounds; a round starts every server anew with an empty folder, with
its defaults but for: no rate limit (agent), logs of errors only (all).
  node:http         reads the body and answers: what Node's HTTP server itself takes; it keeps nothing
  millrace os       answers when the points are written to its queue: they outlive the process. Compare with victoria-metrics,
                    which answers from memory
  millrace os plain the same with [gateway] gzip = false: beside the line above, what compressing the uploads costs
  millrace ... ${onEachCore.name}   the same in ${onEachCore.processes} processes ([http_api] processes), each of which gets some of the connections: one connection
                    keeps one of them busy
  millrace fdatasync  answers when the points are on the device. Compare with influxdb, which also syncs its log
The agent decodes, checks, tags and encodes each point, and in the same time forwards to a gateway on the same machine, batches
compressed; the other two index and store what they took. Points and MB count when they were answered with 2xx. cpu is the time
of all threads and processes of the server (Linux), the gateway's not: on a busy machine it says more than points/s. RSS is the
sum of its processes; what they share counts in each. load is the part of one core that the generator took. queued are the points
that the agent had not sent on yet when the run ended.
`;
/** Each policy and the server that promises as much. */
const peers: readonly (readonly [name: string, peer: string])[] = [
  ["millrace os", "victoria-metrics"],
  ["millrace os plain", "victoria-metrics"],
  [`millrace os ${onEachCore.name}`, "victoria-metrics"],
  [`millrace os plain ${onEachCore.name}`, "victoria-metrics"],
  ["millrace fdatasync", "influxdb"],
];
/** A cold process compiles while it answers, for some thousand requests: each is measured after so many of them, or points. */
const warmup = { requests: 30_000, points: 10_000_000, connections: 16 };
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
      process.stderr.write(`${pointsPerBody} points a body, ${connections} connections ...\n`);
      const size = { pointsPerBody, connections, seconds: Number(values.seconds), points: 0 };
      const rounds: Row[][] = [];
      while (rounds.length < Number(values.rounds)) {
        const round: Row[] = [];
        for (const target of present) round.push(await measure(target, size));
        rounds.push(round);
      }
      rows.push(...present.map((_, at) => median(rounds.map((round) => round[at]))));
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
  process.stdout.write(`${settings}\n`);
  for (const table of [rows, memory]) if (table.length > 0) process.stdout.write(`${tableOf(table)}\n\n`);
  const compared = comparison(rows);
  if (compared.length > 1) process.stdout.write(`${aligned(compared)}\n\n`);
  for (const { name, missing } of wanted)
    if (missing !== undefined) process.stdout.write(`${name} left out: ${missing}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify([...rows, ...memory], null, 2)}\n`);
}

/** By points per second. */
function median(rows: readonly Row[]): Row {
  const rate = ({ points, seconds }: Row) => points / seconds;
  return rows.toSorted((a, b) => rate(a) - rate(b))[(rows.length - 1) >> 1];
}

async function measure(target: Target, size: Size): Promise<Row> {
  const server = await target.start();
  try {
    const points = (target.processes ?? 1) * Math.min(warmup.requests * size.pointsPerBody, warmup.points);
    await generate(server, { ...size, connections: warmup.connections, seconds: Number(values.warmup), points });
    const before = cpuSecondsOf(server.pid);
    const measured = await generate(server, size);
    const after = cpuSecondsOf(server.pid);
    const queued = await server.queued?.();
    return {
      target: target.name,
      pointsPerBody: size.pointsPerBody,
      connections: size.connections,
      ...measured,
      cpuSeconds: before === undefined || after === undefined ? undefined : after - before,
      residentBytes: residentBytesOf(server.pid),
      queued,
    };
  } finally {
    await server.stop();
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
      "cpu us/body",
      "cpu s/Mpoint",
      "RSS MiB",
      "load",
      "points",
      "queued",
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
      row.cpuSeconds === undefined || row.accepted === 0 ? "-" : ((row.cpuSeconds / row.accepted) * 1e6).toFixed(0),
      row.cpuSeconds === undefined || row.points === 0 ? "-" : (row.cpuSeconds / (row.points / 1e6)).toFixed(2),
      row.residentBytes === undefined ? "-" : (row.residentBytes / 1024 ** 2).toFixed(0),
      (row.loadCpuSeconds / row.seconds).toFixed(2),
      row.points.toLocaleString("en-US"),
      row.queued === undefined ? "-" : row.queued.toLocaleString("en-US"),
      String(row.refused),
    ]),
  ];
  return aligned(cells);
}

/** Each policy beside the server that promises as much. */
function comparison(rows: readonly Row[]): string[][] {
  const rate = ({ points, seconds }: Row) => points / seconds;
  const cells = [["beside its peer", "points/body", "conn", "points/s", "cpu"]];
  for (const [name, peer] of peers)
    for (const own of rows.filter(({ target }) => target === name)) {
      const isSameSize = (row: Row) => row.pointsPerBody === own.pointsPerBody && row.connections === own.connections;
      const its = rows.find((row) => row.target === peer && isSameSize(row));
      if (its === undefined || its.accepted === 0 || own.accepted === 0) continue;
      const cpu = (row: Row) => (row.cpuSeconds ?? Number.NaN) / row.accepted;
      cells.push([
        `${name} / ${peer}`,
        String(own.pointsPerBody),
        String(own.connections),
        `${(rate(own) / rate(its)).toFixed(2)}x`,
        own.cpuSeconds === undefined ? "-" : `${(cpu(own) / cpu(its)).toFixed(2)}x`,
      ]);
    }
  return cells;
}

function aligned(cells: readonly (readonly string[])[]): string {
  const widths = cells[0].map((_, at) => Math.max(...cells.map((line) => line[at].length)));
  return cells
    .map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join("  "))
    .join("\n");
}
