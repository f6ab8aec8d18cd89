// Starts a platform as a process of its own for the loads, which use its HTTP interface and its data folder. Needs
// Linux (/proc).

import { type ChildProcess, spawn } from "node:child_process";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import type { CategoryName } from "../../../lib/index.ts";
import { cpuSecondsOf, residentBytesOf } from "../http/process-use.ts";
import { program } from "../http/targets.ts";
import { median } from "./figures.ts";

export interface Platform {
  readonly url: string;
  /** The token of the workspace that every platform has for the data of its own machine. */
  readonly token: string;
  readonly dataDir: string;
  /** Returns the highest resident memory of the process in bytes; it is sampled every 100 ms. */
  peakBytes(): number;
  /** Returns the processor time in seconds that all threads of the process have used so far. */
  cpuSeconds(): number;
  /**
   * Sends SIGTERM to the process and returns the seconds until it has ended. Throws when the process had already ended,
   * or ended with an error.
   */
  stop(): Promise<number>;
  /** Kills the process if it still runs. */
  kill(): Promise<void>;
}

export interface StartOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command of the program: `start` runs an agent in front of the platform, in the same process. */
  readonly command?: "platform" | "start";
  readonly args?: readonly string[];
}

const sampleMs = 100;
const keptLogBytes = 2000;

/** Resolves when the platform listens. Throws with the end of its log when the process ends before that. */
export async function startPlatform({
  dataDir,
  env = {},
  command = "platform",
  args = ["--listen", "127.0.0.1:0"],
}: StartOptions): Promise<Platform & { readonly agentUrl: string }> {
  const child = spawn(process.execPath, [program, command, "--data-dir", dataDir, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let log = "";
  child.stderr.on("data", (chunk) => (log = `${log}${chunk}`.slice(-keptLogBytes)));
  let out = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      out += chunk;
      if (out.includes("platform listening on ") && out.endsWith("\n")) resolve();
    });
    child.once("close", (code, signal) => reject(new Error(`the platform ended with ${code ?? signal}: ${log}`)));
  });
  const pid = child.pid!;
  let peak = 0;
  const sampler = setInterval(() => {
    // For a process that is exiting, the resident memory is NaN.
    peak = Math.max(peak, residentBytesOf(pid) || 0);
  }, sampleMs);
  child.once("exit", () => clearInterval(sampler));
  return {
    url: addressOf("platform", out),
    agentUrl: addressOf("agent", out),
    token: readFileSync(path.join(dataDir, "platform", "token"), "utf8").trim(),
    dataDir,
    peakBytes: () => peak,
    cpuSeconds: () => cpuSecondsOf(pid) ?? Number.NaN,
    stop: async () => {
      const began = performance.now();
      const { code, signal } = await end(child, "SIGTERM");
      if (code !== 0) throw new Error(`the platform ended with ${code ?? signal}: ${log}`);
      return (performance.now() - began) / 1000;
    },
    kill: async () => void (await end(child, "SIGKILL")),
  };
}

/**
 * Returns the address at which `service` ("platform" or "agent") listens. The process prints the address, and `out` is
 * what it has printed so far. Returns an empty string when `out` has no address of this service.
 */
function addressOf(service: string, out: string): string {
  return new RegExp(`${service} listening on (\\S+)\n`).exec(out)?.[1] ?? "";
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<Exit> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await exited;
  }
  return { code: child.exitCode, signal: child.signalCode };
}

export interface Body {
  readonly category: CategoryName;
  /** The points in line protocol, with times in ns. */
  readonly lines: string | Uint8Array;
  readonly points: number;
  /** The token of the workspace; when absent, the token of this machine's own workspace. */
  readonly token?: string;
}

export interface Sent {
  /** Number of points in the bodies that were answered with 200. */
  readonly points: number;
  /** Number of bodies that the platform did not answer, or answered with another status than 200. */
  readonly refused: number;
  readonly seconds: number;
}

/**
 * Sends the bodies from several senders at once. Each sender sends its next body when the previous one was answered.
 * The first refusal is printed on standard error.
 */
export async function sendAll({ url, token }: Platform, bodies: Iterable<Body>, senders: number): Promise<Sent> {
  const waiting = bodies[Symbol.iterator]();
  let points = 0;
  let refused = 0;
  const began = performance.now();
  const sender = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      const refusal = await write(`${url}/v1/write/${next.value.category}`, next.value, token);
      if (refusal === undefined) points += next.value.points;
      else if (refused++ === 0) process.stderr.write(`first write that was not answered with 200: ${refusal}\n`);
    }
  };
  await Promise.all(Array.from({ length: senders }, sender));
  return { points, refused, seconds: (performance.now() - began) / 1000 };
}

/** Sends one body. Returns undefined when the platform accepted the body, else its answer. */
async function write(url: string, { lines, token }: Body, localToken: string): Promise<string | undefined> {
  try {
    const headers = { "x-token": token ?? localToken };
    const answer = await fetch(url, { method: "POST", headers, body: lines as string });
    const text = await answer.text();
    return answer.status === 200 ? undefined : `${answer.status} ${text.slice(0, 500)}`;
  } catch (error) {
    return String((error as Error).cause ?? error);
  }
}

export interface Question {
  readonly dql: string;
  /** Time range in ms since 1970; both ends are included. */
  readonly range: readonly [from: number, to: number];
  /** The token of the workspace; when absent, the token of this machine's own workspace. */
  readonly token?: string;
}

/**
 * Returns the first row of the answer without its time: one number for each target of the query, and 0 for a target
 * without a value. Returns a single 0 when the answer has no rows.
 */
export async function ask(platform: Platform, question: Question): Promise<number[]> {
  return (await firstRows(platform, question))[0] ?? [0];
}

/** Returns the sum of the query's first target over all series of the answer. */
export async function countAll(platform: Platform, question: Question): Promise<number> {
  return (await firstRows(platform, question)).reduce((sum, [count]) => sum + count!, 0);
}

/** Returns for each series of the answer its first row. */
async function firstRows(
  { url, token: local }: Platform,
  { dql, range, token = local }: Question,
): Promise<number[][]> {
  const answer = await fetch(`${url}/v1/query/raw`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-token": token },
    body: JSON.stringify({ queries: [{ query: dql, time_range: range, disable_slimit: true }] }),
  });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${dql.slice(0, 200)}: ${answer.status} ${text.slice(0, 500)}`);
  const { content } = JSON.parse(text) as {
    readonly content: readonly { readonly series: readonly { readonly values: readonly unknown[][] }[] | null }[];
  };
  return (content[0]!.series ?? []).map(({ values }) => values[0]!.slice(1).map(Number));
}

/** Sends the queries one after the other and returns the median time of an answer in milliseconds. */
export async function medianMs(platform: Platform, questions: readonly Question[]): Promise<number> {
  const times: number[] = [];
  for (const question of questions) times.push(await timeOf(() => ask(platform, question)));
  return median(times);
}

export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Returns the disk space of a folder in bytes, as `du` counts it: the blocks of files and folders. */
export function diskBytes(folder: string): number {
  try {
    const entry = lstatSync(folder);
    const inside = entry.isDirectory() ? readdirSync(folder) : [];
    return inside.reduce((sum, name) => sum + diskBytes(path.join(folder, name)), entry.blocks * 512);
  } catch (error) {
    // The platform has removed the file since the list of files was read, so the file takes no space.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

const longestWaitSeconds = 300;
/** Share of a processor below which the platform counts as idle; its timers use a little time even then. */
const idleShare = 0.05;

/**
 * Waits until the platform was idle for `seconds` seconds. The platform is idle while its disk space does not change
 * and it uses nearly no processor time.
 */
export async function quiet(platform: Platform, seconds: number): Promise<void> {
  const state = () => ({ disk: diskBytes(platform.dataDir), cpu: platform.cpuSeconds() });
  let before = state();
  for (let waited = 0; waited < longestWaitSeconds; waited += seconds) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const now = state();
    if (now.disk === before.disk && now.cpu - before.cpu <= seconds * idleShare) return;
    before = now;
  }
  process.stderr.write(`the platform is not quiet after ${longestWaitSeconds} s; measured as it is\n`);
}
