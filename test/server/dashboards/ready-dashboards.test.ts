// Each chart of each dashboard that comes with the server ("ready dashboard") must find data in real points. The points
// come from the sample lines of the scripts that come with the server, from the input `host`, and from the services'
// own /metrics. Everything runs under `millrace start`. The test sends the queries through the agent, as the agent's
// page does.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTestFile } from "../../../server/cli/pipeline/test-file.ts";
import { readyDashboard, readyDashboards } from "../../../server/dashboards/ready-dashboards.ts";
import { ownLoopback } from "../support/child.ts";
import { send } from "../support/running-agent.ts";
import { launch, type Running, removeFolder, temporaryFolder } from "../support/running-platform.ts";

const scripts = fileURLToPath(new URL("../../../server/pipelines/logging/", import.meta.url));
const ofMetrics = ["millrace", "host"];
const names = readyDashboards.map(({ name }) => name);
const chartsOf = (name: string) => readyDashboard(name)!.main.charts;

const dataDir = temporaryFolder();
const host = ownLoopback();
let running: Running;

beforeAll(async () => {
  const config = path.join(dataDir, "millrace.toml");
  writeFileSync(
    config,
    `[inputs.host]
enable = true
interval = "1s"

[inputs.own_metrics]
interval = "1s"
`,
  );
  const listen = ["--listen", `${host}:19529`, "--gateway-listen", "none", "--platform-listen", `${host}:19527`];
  const args = [...listen, "--config", config];
  const env = { ENV_INPUT_OWN_METRICS_ENABLE: "true" };
  running = await launch({ command: "start", dataDir, args, service: ["agent", "platform"], env });
  for (const name of names) if (!ofMetrics.includes(name)) await writeSamples(name);
});
afterAll(async () => {
  await running.kill();
  removeFolder(dataDir);
});

/**
 * Sends the sample lines of a script that comes with the server to the agent, which runs the script over them. The
 * tests of the script contain these lines.
 */
async function writeSamples(name: string): Promise<void> {
  const { tests } = readTestFile(path.join(scripts, `${name}.test.yaml`));
  const points = tests.map(({ input }) => ({ measurement: name, fields: { message: input } }));
  const headers = { "content-type": "application/json" };
  const written = await send(`${running.url}/v1/write/logging?source=${name}`, {
    body: JSON.stringify(points),
    headers,
  });
  expect([name, written.status, written.text]).toEqual([name, 200, written.text]);
}

interface Series {
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

interface Answered {
  readonly series: readonly Series[];
  readonly warning: string;
}

const dayMs = 86_400_000;
/**
 * Start and end of the time range in which most sample lines of the scripts that come with the server have their times.
 */
const samples: readonly [number, number] = [Date.UTC(2025, 9, 1), Date.UTC(2026, 1, 1)];

/**
 * The dashboards whose sample lines have times without a year. The points of these lines may be in this year or in the
 * previous one.
 */
const withoutYear = ["kubernetes", "sshd"];

/**
 * Returns the time ranges, each at most a year long, in which the queries of the dashboard `name` may find
 * points. The test tries the ranges one after the other until a query finds an answer.
 */
function rangesOf(name: string): readonly (readonly [number, number])[] {
  // The platform stores metrics under the current time. Log lines without a time also become points with the current
  // time.
  const now = [Date.now() - 600_000, Date.now() + 60_000] as const;
  if (ofMetrics.includes(name)) return [now];
  if (!withoutYear.includes(name)) return [samples, now];
  const year = new Date().getUTCFullYear();
  return [year, year - 1].map((each) => [Date.UTC(each, 0, 1), Date.UTC(each, 0, 1) + 364 * dayMs] as const);
}

/** Sends a query as a chart sends it, and returns the answer. */
async function ask(name: string, q: string, isTable = false): Promise<Answered> {
  let last: Answered = { series: [], warning: "" };
  for (const timeRange of rangesOf(name)) if (hasRows((last = await askFor(timeRange, q, isTable)))) break;
  return last;
}

async function askFor(timeRange: readonly [number, number], q: string, isTable: boolean): Promise<Answered> {
  const body = JSON.stringify({ queries: [{ qtype: "dql", query: { q, timeRange, disableMultipleField: !isTable } }] });
  const headers = { "content-type": "application/json" };
  const { status, text } = await send(`${running.url}/openapi/v1/df/query_data_v1`, { body, headers });
  expect([status, text]).toEqual([200, text]);
  const [{ series, query_warning: warning = "" }] = JSON.parse(text).content.data;
  return { series: series ?? [], warning };
}

const hasRows = ({ series }: Answered) =>
  series.some(({ values }) => values.some((row) => row.slice(1).some((cell) => cell !== null)));

describe.each(names)("%s", (name) => {
  it.each(chartsOf(name).map((chart) => [chart.name, chart] as const))(
    "the queries of the chart %s return rows",
    async (_title, chart) => {
      const isTable = chart.type === "table" || chart.type === "log";
      for (const { query } of chart.queries) {
        await expect
          .poll(async () => hasRows(await ask(name, query.q, isTable)), { timeout: 20_000, interval: 500 })
          .toBe(true);
        // The platform adds a warning to an answer when a query names a field that no point has, or compares a text
        // with a number. No chart may cause a warning.
        const { series, warning } = await ask(name, query.q, isTable);
        expect(warning).toBe("");
        // The query groups by a field. Points without this field must not form a group of their own, because the chart
        // would show this group without a name.
        if (chart.type === "toplist" || chart.type === "sequence")
          for (const { tags = {} } of series) expect(Object.values(tags)).not.toContain("");
      }
    },
    40_000,
  );

  it("is a template of charts that do not overlap", () => {
    const charts = chartsOf(name);
    expect(charts.length).toBeGreaterThanOrEqual(5);
    expect(new Set(charts.map(({ type }) => type)).size).toBeGreaterThanOrEqual(3);
    for (const [at, { pos: a }] of charts.entries()) {
      expect(a.x + a.w).toBeLessThanOrEqual(24);
      for (const { pos: b } of charts.slice(at + 1))
        expect(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y).toBe(true);
    }
  });

  it("can be created, and is exported with the same charts", async () => {
    const template = readyDashboard(name)!;
    const body = JSON.stringify({ name: `ready ${name}`, templateInfo: template });
    const headers = { "content-type": "application/json" };
    const made = await send(`${running.url}/openapi/v1/dashboard/create`, { body, headers });
    const { uuid } = JSON.parse(made.text).content;
    const { text } = await send(`${running.url}/openapi/v1/dashboard/${uuid}/export`);
    expect(JSON.parse(text).content).toMatchObject({ summary: template.summary, main: template.main });
  });
});

it("the nginx dashboard counts the requests of the example lines", async () => {
  const { tests } = readTestFile(path.join(scripts, "nginx.test.yaml"));
  const codes = tests.flatMap(({ expect: { fields, time = 0n } }) => {
    const isAsked = Number(time / 1_000_000n) >= samples[0];
    return isAsked && fields.status_code !== undefined ? [Number(fields.status_code)] : [];
  });
  const numberOf = async (title: string) => {
    const chart = chartsOf("nginx").find((each) => each.name === title)!;
    const [{ values }] = (await ask("nginx", chart.queries[0]!.query.q)).series as [Series];
    return values[0]![1];
  };
  expect(await numberOf("Requests")).toBe(codes.length);
  expect(await numberOf("Server errors")).toBe(codes.filter((code) => code >= 500).length);
  const byCode = chartsOf("nginx").find((each) => each.name === "Requests by status code")!;
  const { series } = await ask("nginx", byCode.queries[0]!.query.q);
  const counts = series.map(({ tags, values }) => [
    Number(tags!.status_code),
    values.reduce((sum, [, count]) => sum + Number(count), 0),
  ]);
  const expected = [...new Set(codes)].map((code) => [code, codes.filter((each) => each === code).length]);
  expect(counts.sort()).toEqual(expected.sort());
});

it("the agent lists the ready dashboards, and returns each by its name", async () => {
  const list = JSON.parse((await send(`${running.url}/openapi/ready-dashboards`)).text).content;
  expect(list).toEqual(readyDashboards);
  expect(names).toEqual(expect.arrayContaining(["millrace", "host", "nginx", "apache", "mysql", "redis"]));
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    const { text } = await send(`${running.url}/openapi/ready-dashboards/${name}`);
    expect(JSON.parse(text).content).toEqual(readyDashboard(name));
    if (!ofMetrics.includes(name)) expect(() => readFileSync(path.join(scripts, `${name}.p`))).not.toThrow();
  }
  for (const name of ["none", "__proto__", "constructor", "..%2fnginx", "%00"])
    expect((await send(`${running.url}/openapi/ready-dashboards/${name}`)).status, name).toBe(404);
});
