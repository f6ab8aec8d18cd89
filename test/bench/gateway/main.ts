// `npm run bench:gateway`: measures the time that a gateway adds between a sender and a workspace, over HTTP.
//
// The same load is sent directly to the workspace, and through gateways with 10, 100 and 1,000 rules, in short
// alternating rounds; each figure is the median of its rounds. The workspace is a process of its own that
// accepts everything and stores nothing.

import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { generate, type Place } from "../http/generate.ts";
import type { Measured } from "../http/protocol.ts";
import { firstLine, program, sink, stop, temporary } from "../http/targets.ts";

const usage = `Usage: npm run bench:gateway -- [--rounds 10] [--seconds 0.3] [--points 100] [--connections 1,16] [--json FILE]

  --rounds N          rounds of each way, taking turns (10)
  --seconds N         length of a round (0.3)
  --points N          points of one body (100)
  --connections LIST  connections at once (1,16)
  --json FILE         the rows as JSON
`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    seconds: { type: "string", default: "0.3" },
    points: { type: "string", default: "100" },
    connections: { type: "string", default: "1,16" },
    json: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

const ruleCounts = [10, 100, 1000];
const token = "tkn_0123456789abcdef0123456789abcdef";

interface Way {
  readonly name: string;
  readonly place: Place;
}

interface Row {
  readonly way: string;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused: number;
}

if (values.help) process.stdout.write(usage);
else await main();

async function main(): Promise<void> {
  const folder = temporary();
  const workspace = spawn(process.execPath, [sink], { stdio: ["ignore", "pipe", "inherit"] });
  const children: ChildProcess[] = [workspace];
  const rows: Row[] = [];
  try {
    const port = Number(await firstLine(workspace));
    const at = "/v1/write/metric";
    const ways: Way[] = [{ name: "straight", place: { port, path: `${at}?token=${token}` } }];
    for (const count of ruleCounts) {
      const gateway = startGateway(path.join(folder, String(count)), port, count);
      children.push(gateway);
      const gatewayPort = Number(/:(\d+)$/.exec(await firstLine(gateway))![1]);
      // The header that the load generator sends matches only one of the last rules. So the gateway has to try nearly
      // all of its rules.
      const headers = `X-Global-Tags: env=prod,host=h-${count - 1}\r\n`;
      ways.push({ name: `gateway, ${count} rules`, place: { port: gatewayPort, path: at, headers } });
    }
    for (const connections of values.connections.split(",").map(Number))
      rows.push(...(await measure(ways, connections)));
  } finally {
    await stop(folder, ...children);
  }
  process.stdout.write(`${tableOf(rows)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
}

function startGateway(dataDir: string, port: number, count: number): ChildProcess {
  const rules = Array.from({ length: count }, (_, at) => ({
    rules: [`{ host in ['h-${at}'] and env != 'test' }`],
    url: `http://127.0.0.1:${port}/?token=${token}`,
  }));
  const file = `${dataDir}.json`;
  writeFileSync(file, JSON.stringify({ strict: true, rules }));
  const args = [program, "gateway", "--listen", "127.0.0.1:0", "--data-dir", dataDir, "--sinker", file];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
}

async function measure(ways: readonly Way[], connections: number): Promise<Row[]> {
  const size = { pointsPerBody: Number(values.points), connections, points: 0 };
  for (const { place } of ways) await generate(place, { ...size, seconds: 0.5 });
  const rounds = new Map<string, Measured[]>(ways.map(({ name }) => [name, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const { name, place } of ways) {
      process.stderr.write(`${name}, ${connections} connections, round ${round + 1} ...\n`);
      rounds.get(name)!.push(await generate(place, { ...size, seconds: Number(values.seconds) }));
    }
  }
  return [...rounds].map(([way, measured]) => ({
    way,
    connections,
    requestsPerSecond: median(measured.map(({ accepted, seconds }) => accepted / seconds)),
    p50: median(measured.map(({ p50 }) => p50)),
    p99: median(measured.map(({ p99 }) => p99)),
    refused: measured.reduce((sum, { refused }) => sum + refused, 0),
  }));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;
}

function tableOf(rows: readonly Row[]): string {
  const straight = (row: Row) =>
    rows.find(({ way, connections }) => way === "straight" && connections === row.connections)!;
  const cells = [
    ["way", "conn", "requests/s", "p50 ms", "p99 ms", "added p50", "added p99", "refused"],
    ...rows.map((row) => [
      row.way,
      String(row.connections),
      Math.round(row.requestsPerSecond).toLocaleString("en-US"),
      row.p50.toFixed(2),
      row.p99.toFixed(2),
      row.way === "straight" ? "-" : (row.p50 - straight(row).p50).toFixed(2),
      row.way === "straight" ? "-" : (row.p99 - straight(row).p99).toFixed(2),
      String(row.refused),
    ]),
  ];
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map((line) => line[at]!.length)));
  return cells
    .map((line) =>
      line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join("  "),
    )
    .join("\n");
}
