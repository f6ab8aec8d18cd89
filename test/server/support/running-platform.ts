// Starts a platform, or agent and platform in one process, from the command line, and sends queries over HTTP.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { ended } from "./child.ts";
import { program, send } from "./running-agent.ts";

export interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  out(): string;
  log(): string;
  kill(): Promise<void>;
}

export interface RunOptions {
  readonly command: "platform" | "start";
  readonly dataDir: string;
  readonly args: readonly string[];
  /**
   * Names of the services that must listen before the start is complete. The URL of the started process is the address
   * of the first one.
   */
  readonly service: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

export function temporaryFolder(): string {
  return mkdtempSync(path.join(tmpdir(), "millrace-platform-"));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Makes a folder that is removed when the test ends. */
export function folder(): string {
  const made = temporaryFolder();
  onTestFinished(() => removeFolder(made));
  return made;
}

/** Starts the process. The caller must end it. */
export async function launch({ command, dataDir, args, service, env = {} }: RunOptions): Promise<Running> {
  const child = spawn(process.execPath, [program, command, "--data-dir", dataDir, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // Switches off the storing of the platform's own metrics, because most tests expect that the store has only the
    // points that the test has written.
    env: { ...process.env, ENV_INPUT_OWN_METRICS_ENABLE: "false", ...env },
  });
  let out = "";
  let log = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (log += chunk));
  const kill = () => ended(child, "SIGKILL");
  await new Promise<void>((resolve, reject) => {
    const look = () => service.every((each) => listening(each).test(out)) && resolve();
    child.stdout.on("data", look);
    child.once("close", () => reject(new Error(`millrace ${command} ended:\n${log}`)));
  });
  const token = readFileSync(path.join(dataDir, "platform", "token"), "utf8").trim();
  return { child, url: addressOf(service[0], out), token, out: () => out, log: () => log, kill };
}

function listening(service: string): RegExp {
  return new RegExp(`${service} listening on (\\S+)\n`);
}

export function addressOf(service: string, out: string): string {
  return listening(service).exec(out)![1]!;
}

/** Starts the process, which ends with the test. */
export async function run(options: RunOptions): Promise<Running> {
  const running = await launch(options);
  onTestFinished(running.kill);
  return running;
}

export const platform = (dataDir: string, env = {}): Promise<Running> =>
  run({ command: "platform", dataDir, args: ["--listen", "127.0.0.1:0"], service: ["platform"], env });

export interface Series {
  readonly name?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

export interface Entry {
  readonly series: readonly Series[] | null;
  readonly [member: string]: unknown;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
  /** The series in the answer to the first query of the request. */
  readonly series: readonly Series[];
  readonly content: readonly Entry[];
  readonly code: string | undefined;
  readonly message: string | undefined;
}

export async function askAll(url: string, token: string, body: unknown): Promise<Answered> {
  const headers = { "content-type": "application/json", "x-token": token };
  const { status, text } = await send(`${url}/v1/query/raw`, { headers, body: JSON.stringify(body) });
  const read = JSON.parse(text) as { content?: Entry[]; error_code?: string; message?: string };
  const { content = [], error_code: code, message } = read;
  return { status, text, content, series: content[0]?.series ?? [], code, message };
}

export function ask(url: string, query: string, token: string, members = {}): Promise<Answered> {
  return askAll(url, token, { queries: [{ query, ...members }] });
}

export const write = (url: string, token: string, body: string, headers = {}) =>
  send(`${url}/v1/write/metric?token=${token}`, { body, headers });

/**
 * Returns the value of a metric of the platform, or 0 when it is missing. `name` is the line in /metrics without the
 * value.
 */
export async function metric(url: string, name: string): Promise<number> {
  const { text } = await send(`${url}/metrics`);
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
