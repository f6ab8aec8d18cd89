// `npm run bench:open-api`: measures requests per second of the Open API with many dashboards, against a bare Fastify
// server that answers the same bytes from memory. Each server is a process of its own. Short rounds alternate between
// them; each figure is the median of its rounds.

import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openStore } from "../../../server/platform/metadata/database.ts";
import { newId } from "../../../server/platform/metadata/ids.ts";
import { createMetadata } from "../../../server/platform/metadata/metadata.ts";
import type { DashboardDocument } from "../../../server/platform/open-api/dashboards/dashboard-record.ts";
import { generate, type Place } from "../http/generate.ts";
import type { Measured } from "../http/protocol.ts";
import { firstLine, program, stop, temporary } from "../http/targets.ts";

const usage = `Usage: npm run bench:open-api -- [--dashboards 10000] [--rounds 10] [--seconds 0.3] [--connections 1,16] [--json FILE]

  --dashboards N      of the workspace (10000)
  --rounds N          rounds of each request, taking turns (10)
  --seconds N         length of a round (0.3)
  --connections LIST  connections at once (1,16)
  --json FILE         the rows as JSON
`;

const { values } = parseArgs({
  options: {
    dashboards: { type: "string", default: "10000" },
    rounds: { type: "string", default: "10" },
    seconds: { type: "string", default: "0.3" },
    connections: { type: "string", default: "1,16" },
    json: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

interface Way {
  readonly request: string;
  readonly server: "millrace" | "bare Fastify";
  readonly place: Place;
}

interface Row {
  readonly request: string;
  readonly server: string;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly refused: number;
}

const bare = fileURLToPath(new URL("./bare-fastify.js", import.meta.url));

if (values.help) process.stdout.write(usage);
else await main();

async function main(): Promise<void> {
  const folder = temporary();
  const dataDir = path.join(folder, "data");
  const children: ChildProcess[] = [];
  const rows: Row[] = [];
  try {
    const { key, uuid } = await fill(path.join(dataDir, "platform"), Number(values.dashboards));
    const args = [program, "platform", "--listen", "127.0.0.1:0", "--data-dir", dataDir];
    const platform = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    children.push(platform);
    const port = Number(/:(\d+)$/.exec(await firstLine(platform))![1]);
    const requests = [
      { request: "get", at: `/api/v1/dashboard/${uuid}/get` },
      { request: "list, first page of 10", at: "/api/v1/dashboard/list?pageSize=10" },
      { request: "list, first page of 100", at: "/api/v1/dashboard/list?pageSize=100" },
      {
        request: "list, last page of 10",
        at: `/api/v1/dashboard/list?pageSize=10&pageIndex=${Math.ceil(Number(values.dashboards) / 10)}`,
      },
      { request: "list, search", at: "/api/v1/dashboard/list?pageSize=10&search=board%207" },
    ];
    const headers = `DF-API-KEY: ${key}\r\n`;
    const ways: Way[] = [];
    for (const { request, at } of requests) {
      const answer = await fetch(`http://127.0.0.1:${port}${at}`, {
        headers: { "df-api-key": key, "accept-encoding": "identity" },
      });
      if (!answer.ok) throw new Error(`${at}: ${await answer.text()}`);
      const file = path.join(folder, `${ways.length}.json`);
      writeFileSync(file, new Uint8Array(await answer.arrayBuffer()));
      const baseline = spawn(process.execPath, [bare, file], { stdio: ["ignore", "pipe", "inherit"] });
      children.push(baseline);
      const barePort = Number(await firstLine(baseline));
      ways.push({ request, server: "millrace", place: { port, path: at, headers, method: "GET" } });
      ways.push({ request, server: "bare Fastify", place: { port: barePort, path: at, headers, method: "GET" } });
    }
    for (const connections of values.connections.split(",").map(Number))
      rows.push(...(await measure(ways, connections)));
  } finally {
    await stop(folder, ...children);
  }
  process.stdout.write(`${values.dashboards} dashboards\n${tableOf(rows)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
}

/** Writes a workspace, its API key, and dashboards of five charts each straight into the database. */
async function fill(folder: string, count: number): Promise<{ readonly key: string; readonly uuid: string }> {
  const store = await openStore("", folder);
  const metadata = createMetadata(store, Date.now);
  const workspace = (await metadata.workspaces.create("bench", newId("points")))!;
  const actor = { uuid: newId("wsak"), name: "bench", roles: ["wsAdmin"] };
  const { secret } = await metadata.keys.create(
    { workspace: workspace.uuid, actor, traceId: "" },
    { name: "bench", roles: actor.roles },
  );
  const uuids: string[] = [];
  for (let at = 0; at < count; at += 500) {
    const rows = Array.from({ length: Math.min(500, count - at) }, (_, index) => {
      const uuid = newId("dsbd");
      uuids.push(uuid);
      const name = `Board ${at + index}`;
      return {
        workspace: workspace.uuid,
        kind: "dashboard",
        uuid,
        version: 1,
        status: 0,
        unique_name: null,
        folded_name: name.toLowerCase(),
        create_at: 1_700_000_000 + at + index,
        update_at: 1_700_000_000 + at + index,
        document: JSON.stringify(documentOf(name, actor)),
      };
    });
    await store.write([{ insert: "records", rows }]);
  }
  await metadata.close();
  return { key: secret, uuid: uuids[count >> 1] };
}

function documentOf(
  name: string,
  { uuid, name: author }: { readonly uuid: string; readonly name: string },
): DashboardDocument {
  return {
    name,
    desc: "what it shows, in a sentence",
    identifier: "",
    createdWay: "manual",
    chartPos: Array.from({ length: 5 }, (_, at) => {
      const chartUUID = newId("chrt");
      return { chartUUID, pos: { h: 9, i: chartUUID, w: 8, x: (at % 3) * 8, y: Math.floor(at / 3) * 9 } };
    }),
    chartGroupPos: [],
    mapping: [],
    extend: {},
    iconSet: {},
    isPublic: 1,
    permissionSet: [],
    readPermissionSet: [],
    tags: [{ id: newId("tag"), name: "bench" }],
    creator: { uuid, name: author },
    updator: { uuid, name: author },
  };
}

async function measure(ways: readonly Way[], connections: number): Promise<Row[]> {
  const size = { pointsPerBody: 1, connections, points: 0 };
  for (const { place } of ways) await generate(place, { ...size, seconds: 0.5 });
  const rounds = new Map<Way, Measured[]>(ways.map((way) => [way, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const way of ways) {
      process.stderr.write(`${way.request}, ${way.server}, ${connections} connections, round ${round + 1} ...\n`);
      rounds.get(way)!.push(await generate(way.place, { ...size, seconds: Number(values.seconds) }));
    }
  }
  return [...rounds].map(([{ request, server }, measured]) => ({
    request,
    server,
    connections,
    requestsPerSecond: median(measured.map(({ accepted, seconds }) => accepted / seconds)),
    p50: median(measured.map(({ p50 }) => p50)),
    p99: median(measured.map(({ p99 }) => p99)),
    refused: measured.reduce((sum, { refused }) => sum + refused, 0),
  }));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

function tableOf(rows: readonly Row[]): string {
  const cells = [
    ["request", "server", "conn", "requests/s", "p50 ms", "p99 ms", "of bare", "refused"],
    ...rows.map((row) => {
      const base = rows.find(
        ({ request, server, connections }) =>
          request === row.request && server === "bare Fastify" && connections === row.connections,
      )!;
      return [
        row.request,
        row.server,
        String(row.connections),
        Math.round(row.requestsPerSecond).toLocaleString("en-US"),
        row.p50.toFixed(2),
        row.p99.toFixed(2),
        row.server === "millrace" ? `${Math.round((row.requestsPerSecond / base.requestsPerSecond) * 100)} %` : "-",
        String(row.refused),
      ];
    }),
  ];
  const widths = cells[0].map((_, at) => Math.max(...cells.map((line) => line[at].length)));
  return cells
    .map((line) => line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join("  "))
    .join("\n");
}
