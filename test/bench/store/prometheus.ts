// A load from a real Prometheus, which scrapes itself and a node exporter every second and writes to an agent in front
// of a platform. No sample may fail, and the store must hold exactly the samples that Prometheus holds.

import { type ChildProcess, spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { absent, answers, freePort, stop, temporary } from "../http/targets.ts";
import type { Figure } from "./figures.ts";
import type { LoadOptions } from "./loads.ts";
import { countAll, startPlatform } from "./platform.ts";

const programs = ["prometheus", "prometheus-node-exporter"];
const sentTotal = "prometheus_remote_storage_samples_total";
const waitSeconds = 60;

export async function* prometheus({ minutes }: LoadOptions): AsyncGenerator<Figure | string> {
  const missing = programs.map(absent).find((reason) => reason !== undefined);
  if (missing !== undefined) {
    yield `left out: ${missing}`;
    return;
  }
  const dataDir = temporary();
  const began = Date.now();
  const children: ChildProcess[] = [];
  const service = await startPlatform({
    dataDir,
    command: "start",
    args: ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"],
  });
  try {
    const exporterPort = await freePort();
    children.push(
      spawn("prometheus-node-exporter", [`--web.listen-address=127.0.0.1:${exporterPort}`], { stdio: "ignore" }),
    );
    await answers(exporterPort, "/metrics", children[0]!);
    const port = await freePort();
    const file = path.join(dataDir, "prometheus.yml");
    writeFileSync(file, configOf(service.agentUrl, [port, exporterPort]));
    const child = spawn(
      "prometheus",
      [`--config.file=${file}`, `--storage.tsdb.path=${dataDir}/tsdb`, `--web.listen-address=127.0.0.1:${port}`],
      { stdio: "ignore" },
    );
    children.push(child);
    await answers(port, "/-/ready", child);
    const url = `http://127.0.0.1:${port}`;
    await until("Prometheus scrapes and writes", async () => (await counter(url, sentTotal)) > 0);
    await sleep(minutes * 60);
    // A configuration without targets stops the scraping, so that the benchmark can wait until the last samples have
    // arrived.
    writeFileSync(file, configOf(service.agentUrl, []));
    child.kill("SIGHUP");
    await drained(url, service.agentUrl);

    const sent = await counter(url, sentTotal);
    for (const kind of ["failed", "dropped"]) {
      const measured = await counter(url, `prometheus_remote_storage_samples_${kind}_total`);
      yield { name: `samples ${kind}`, unit: "", measured, goal: { exactly: 0 } };
    }
    yield {
      name: "samples sent again",
      unit: "",
      measured: await counter(url, "prometheus_remote_storage_samples_retried_total"),
    };
    const held = await samplesOf(url);
    // Prometheus also sends samples that only mark the end of a series. They have no value and become no points.
    yield { name: "samples sent", unit: "", measured: sent };
    const range = [began - 60_000, Date.now() + 60_000] as const;
    const stored = await countAll(service, { dql: "M::*:(count(*))", range });
    yield { name: "points in the store", unit: "", measured: stored, goal: { exactly: held } };
    await stop(undefined, ...children);
    yield { name: "SIGTERM to exit", unit: "s", measured: await service.stop(), goal: { atMost: 5 } };
    yield {
      name: "resident memory of agent and platform, most",
      unit: "GB",
      measured: service.peakBytes() / 1024 ** 3,
    };
  } finally {
    await stop(undefined, ...children);
    await service.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * Returns the configuration of Prometheus. Prometheus drops the quantiles of summaries, because a quantile has no value
 * until the summary has observed something.
 */
function configOf(agentUrl: string, ports: readonly number[]): string {
  const targets = ports.map((port) => `"127.0.0.1:${port}"`).join(", ");
  const jobs = `
  - job_name: bench
    metric_relabel_configs: [{ source_labels: [quantile], regex: ".+", action: drop }]
    static_configs: [{ targets: [${targets}] }]`;
  return `global: { scrape_interval: 1s, scrape_timeout: 1s }
remote_write: [{ url: "${agentUrl}/prom_remote_write", send_exemplars: false }]
scrape_configs: ${ports.length === 0 ? "[]" : jobs}
`;
}

/** Waits until Prometheus has stopped scraping and sent everything, and the agent has forwarded everything. */
async function drained(url: string, agentUrl: string): Promise<void> {
  const state = async () => {
    const appended = await counter(url, "prometheus_tsdb_head_samples_appended_total");
    const sent = await counter(url, sentTotal);
    const pending = await counter(url, "prometheus_remote_storage_samples_pending");
    const queued = await counter(agentUrl, "agent_io_queue_points");
    return { isDrained: pending + queued === 0, text: `${appended} ${sent}` };
  };
  let before = await state();
  await until("the last samples have arrived", async () => {
    const now = await state();
    const isDrained = now.isDrained && now.text === before.text;
    before = now;
    return isDrained;
  });
}

/**
 * Waits until `isTrue` returns true, and checks this every 5 s. After the last sample, three things must happen:
 * Prometheus marks the series as ended, Prometheus sends a batch, and the agent forwards the points. Each of them takes
 * less than 5 s.
 */
async function until(happened: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < waitSeconds; waited += 5) {
    await sleep(5);
    if (await isTrue()) return;
  }
  throw new Error(`after ${waitSeconds} s it is not true that ${happened}`);
}

/** Returns the sum of a counter or gauge over all its label sets. */
async function counter(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"));
  return Array.from(lines, ([, value]) => Number(value)).reduce((sum, value) => sum + value, 0);
}

/**
 * Counts the samples in Prometheus that a metric point can hold. NaN and infinity do not count, because a field cannot
 * have these values.
 */
async function samplesOf(url: string): Promise<number> {
  const get = async <Data>(at: string): Promise<Data> =>
    ((await (await fetch(`${url}/api/v1/${at}`)).json()) as { readonly data: Data }).data;
  let samples = 0;
  for (const name of await get<string[]>("label/__name__/values")) {
    const { result } = await get<{ readonly result: readonly { readonly values: readonly [number, string][] }[] }>(
      `query?${new URLSearchParams({ query: `${name}[1d]` })}`,
    );
    for (const { values } of result) samples += values.filter(([, value]) => Number.isFinite(Number(value))).length;
  }
  return samples;
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
