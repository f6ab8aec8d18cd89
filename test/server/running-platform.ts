// A platform in a process of its own, and what tests ask of it over HTTP.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { program, send } from "./running-agent.ts";

export interface RunningPlatform {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  log(): string;
  kill(): Promise<void>;
}

/** When what was made is done away with: behind the test, where it is not told otherwise. */
type AtEnd = (work: () => Promise<void> | void) => void;

export function folder(atEnd: AtEnd = onTestFinished): string {
  const made = mkdtempSync(path.join(tmpdir(), "millrace-platform-"));
  atEnd(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

export async function run(
  command: string,
  dataDir: string,
  args: readonly string[],
  service: string,
  env = {},
  atEnd: AtEnd = onTestFinished,
): Promise<RunningPlatform> {
  const child = spawn(process.execPath, [program, command, "--data-dir", dataDir, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let out = "";
  let log = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (log += chunk));
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  atEnd(kill);
  const listening = new RegExp(`${service} listening on (\\S+)\n`);
  await vi.waitFor(() => expect(out).toMatch(listening), { timeout: 40_000 });
  const token = readFileSync(path.join(dataDir, "platform", "token"), "utf8").trim();
  return { child, url: listening.exec(out)![1]!, token, log: () => log, kill };
}

export const platform = (dataDir: string, env = {}, atEnd: AtEnd = onTestFinished) =>
  run("platform", dataDir, ["--listen", "127.0.0.1:0"], "platform", env, atEnd);

export interface Series {
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

export async function ask(url: string, query: string, token: string, members = {}) {
  const headers = { "content-type": "application/json", "x-token": token };
  const { status, text } = await send(`${url}/v1/query/raw`, {
    headers,
    body: JSON.stringify({ queries: [{ query, ...members }] }),
  });
  const {
    content = [],
    error_code: code,
    message,
  } = JSON.parse(text) as { content?: { series: Series[] }[]; error_code?: string; message?: string };
  return { status, series: content[0]?.series ?? [], code, message, text };
}

export const write = (url: string, token: string, body: string, headers = {}) =>
  send(`${url}/v1/write/metric?token=${token}`, { body, headers });

/** The value of a metric of the platform, by its line without the value; 0 when there is none. */
export async function metric(url: string, name: string): Promise<number> {
  const { text } = await send(`${url}/metrics`);
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
