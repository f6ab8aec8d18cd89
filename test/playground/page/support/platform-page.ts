// Starts agent and platform in one process, as `npm start` does, sends log lines of nginx, and makes the dashboards of
// the tests.

import { expect } from "vitest";
import { type AgentProcess, send } from "../../../server/support/running-agent.ts";
import { launch, removeFolder, temporaryFolder } from "../../../server/support/running-platform.ts";

/** Number of log lines that the platform has. */
export const logLines = 60;

/**
 * Starts agent and platform on free ports. Tests pass this function to `playgroundOfTests`, which loads the page from
 * the agent.
 */
export async function startWithPlatform(): Promise<Pick<AgentProcess, "url" | "stop">> {
  const dataDir = temporaryFolder();
  const args = ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"];
  const { url, kill } = await launch({ command: "start", dataDir, args, service: ["agent", "platform"] });
  const stop = async () => {
    await kill();
    removeFolder(dataDir);
  };
  return { url, stop };
}

/** Sends the log lines, and waits until the platform answers queries over them. */
export async function sendLogs(url: string): Promise<void> {
  const now = Date.now();
  const lines = Array.from(
    { length: logLines },
    (_, at) =>
      `nginx,host=web-${at % 2} status="${at % 4 === 0 ? "error" : "ok"}",message="GET /p${at % 5}",code=${at % 4 === 0 ? 500 : 200}i ${now - at * 20_000 - 60_000}000000`,
  );
  expect((await send(`${url}/v1/write/logging?precision=n`, { body: lines.join("\n") })).status).toBe(200);
  await untilCounted(url, "L::nginx:(count(*))");
}

/**
 * Sends metrics to the agent: one point for each log line that the tests have sent, in turn for two hosts. Waits until
 * a query to the platform finds all these points.
 */
export async function sendMetrics(url: string): Promise<void> {
  const now = Date.now();
  const lines = Array.from({ length: logLines }, (_, at) => {
    const host = at % 2;
    return `cpu,host=web-${host} usage=${10 + 60 * host},cores=${4 + host}i ${now - at * 20_000 - 60_000}000000`;
  });
  expect((await send(`${url}/v1/write/metric?precision=n`, { body: lines.join("\n") })).status).toBe(200);
  await untilCounted(url, "M::cpu:(count(usage))");
}

async function untilCounted(url: string, query: string): Promise<void> {
  const body = JSON.stringify({ queries: [{ query }] });
  const ask = async () => (await send(`${url}/v1/query/raw`, { body })).text;
  while (!(await ask()).includes(String(logLines))) await new Promise((resolve) => setTimeout(resolve, 100));
}

export interface Sketch {
  readonly name: string;
  /** The type of the chart, as the platform names it, such as `toplist`. */
  readonly type: string;
  readonly query: string;
}

/** Makes a dashboard with two charts in each row. Returns the dashboard's identifier. */
export async function makeDashboard(url: string, name: string, sketches: readonly Sketch[]): Promise<string> {
  const charts = sketches.map(({ name, type, query }, at) => ({
    ...{ name, type, pos: { x: 12 * (at % 2), y: 9 * Math.floor(at / 2), w: 12, h: 9, i: `c${at}` } },
    ...{ group: { name: null }, queries: [{ qtype: "dql", query: { q: query } }], extend: { settings: {} } },
  }));
  const templateInfo = { main: { type: "template", groups: [], vars: [], charts } };
  const { text } = await send(`${url}/openapi/v1/dashboard/create`, {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name, templateInfo }),
  });
  return (JSON.parse(text) as { content: { uuid: string } }).content.uuid;
}
