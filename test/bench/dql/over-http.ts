// Compares the platform with victoria-metrics over HTTP, for the queries that MetricsQL can express. Both run as
// separate processes over the same points, and queries are sent to them alternately. The answer cache of
// victoria-metrics is off, because the platform has no such cache.

import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { absent, answers, firstLine, freePort, program, stop } from "../http/targets.ts";
import { columns } from "../measure.ts";
import { bodies, endMs, startMs } from "./points.ts";
import { type Asked, asked } from "./statements.ts";

export interface OverHttp {
  /** The data folder of the platform. The benchmark has already filled the store in this folder. */
  readonly dataDir: string;
  readonly token: string;
  readonly points: number;
  readonly rounds: number;
}

/** Returns the table of results, or the reason why victoria-metrics cannot be measured on this machine. */
export async function overHttp(options: OverHttp): Promise<string> {
  const missing = absent("victoria-metrics");
  if (missing !== undefined) return `\nvictoria-metrics: left out, ${missing}`;
  const children: ChildProcess[] = [];
  try {
    const platform = await startPlatform(options, children);
    const victoria = await startVictoria(options, children);
    const rows: string[][] = [["over HTTP", "DQL ms", "victoria-metrics ms", "victoria / DQL", "lowest", "highest"]];
    for (const each of asked) {
      if (each.metricsQl === undefined) continue;
      process.stderr.write(`${each.name} over HTTP ...\n`);
      rows.push([each.name, ...(await turns(options.rounds, platform(each), victoria(each)))]);
    }
    return `\n${columns(rows)}`;
  } finally {
    await stop(undefined, ...children);
  }
}

type Ask = () => Promise<void>;

async function turns(rounds: number, ours: Ask, theirs: Ask): Promise<string[]> {
  const figures: { readonly ours: number; readonly theirs: number }[] = [];
  for (let round = -2; round < rounds; round++) {
    const figure = { ours: await timeOf(ours), theirs: await timeOf(theirs) };
    if (round >= 0) figures.push(figure);
  }
  const ratios = figures.map((figure) => figure.theirs / figure.ours).sort((a, b) => a - b);
  return [
    median(figures.map((figure) => figure.ours)).toFixed(2),
    median(figures.map((figure) => figure.theirs)).toFixed(2),
    ...[median(ratios), ratios[0]!, ratios[ratios.length - 1]!].map((ratio) => `${ratio.toFixed(2)}x`),
  ];
}

async function startPlatform(
  { dataDir, token, points }: OverHttp,
  children: ChildProcess[],
): Promise<(each: Asked) => Ask> {
  const args = [program, "platform", "--listen", "127.0.0.1:0", "--data-dir", dataDir];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const port = Number(/:(\d+)$/.exec(await firstLine(child))![1]);
  const url = `http://127.0.0.1:${port}/v1/query/raw?token=${token}`;
  return ({ dql }) => {
    const body = JSON.stringify({ queries: [{ query: dql, time_range: [startMs, endMs(points)] }] });
    return () =>
      asking(url, { method: "POST", body, headers: { "content-type": "application/json" } }, `"series":[{`, dql);
  };
}

async function startVictoria({ dataDir, points }: OverHttp, children: ChildProcess[]): Promise<(each: Asked) => Ask> {
  const port = await freePort();
  const at = `http://127.0.0.1:${port}`;
  const args = [
    `-storageDataPath=${path.join(dataDir, "victoria-metrics")}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    "-loggerLevel=ERROR",
    "-retentionPeriod=100y",
    "-search.disableCache",
    "-search.latencyOffset=0s",
  ];
  const child = spawn("victoria-metrics", args, { stdio: "ignore" });
  children.push(child);
  await answers(port, "/health", child);
  for (const body of bodies("metric", points)) {
    const written = await fetch(`${at}/write?precision=ns`, { method: "POST", body: body as Uint8Array<ArrayBuffer> });
    if (!written.ok) throw new Error(`victoria-metrics: ${await written.text()}`);
  }
  // These two requests to victoria-metrics make the newest points visible to queries.
  await fetch(`${at}/internal/force_flush`);
  await fetch(`${at}/internal/force_merge`);
  const seconds = (ms: number) => String(ms / 1000);
  const [start, end] = [startMs, endMs(points)];
  return ({ metricsQl }) => {
    const { query, step } = metricsQl!;
    const text = query.replaceAll("RANGE", `${end - start}ms`);
    const asked: Record<string, string> =
      step === 0
        ? { query: text, time: seconds(end) }
        : { query: text, start: seconds(start + step * 1000), end: seconds(end), step: String(step) };
    const url = `${at}/api/v1/${step === 0 ? "query" : "query_range"}?${new URLSearchParams(asked)}`;
    return () => asking(url, {}, `"result":[{`, query);
  };
}

/** Sends a query. Throws when the answer is empty, that is, when it does not contain the string `found`. */
async function asking(url: string, request: RequestInit, found: string, query: string): Promise<void> {
  const text = await (await fetch(url, request)).text();
  if (!text.includes(found)) throw new Error(`${query}: ${text.slice(0, 500)}`);
}

async function timeOf(work: Ask): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}
