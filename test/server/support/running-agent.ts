// The real command line as a child process, and HTTP to it as a client would speak it.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { ended } from "./child.ts";

export const program = fileURLToPath(new URL("../../../dist/server/main.js", import.meta.url));

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface AgentProcess {
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Standard error so far. */
  log(): string;
  /** `url`: where it listens since a reload. */
  send(path: string, sent?: Sent, url?: string): Promise<Answer>;
  /** The lines of all output files of a category. */
  output(category: string): Promise<string[]>;
  /** The value of a sample of /metrics; 0 when it is not there. */
  metric(sample: string): Promise<number>;
  stop(): Promise<void>;
  /** Null while it runs, and when a signal has ended it. */
  exitCode(): number | null;
  signal(signal: NodeJS.Signals): void;
  /** SIGKILL; the folder stays. */
  kill(): Promise<void>;
}

export interface AgentOptions {
  /** Text of the configuration file; null: there is none, as in a container. */
  readonly config?: string | null;
  readonly args?: readonly string[];
  /** The compiled command line, when it is not that of this build. */
  readonly program?: string;
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files under <data-dir>/pipeline, by relative path. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** The folder of an earlier agent in place of a new one. */
  readonly dataDir?: string;
}

export async function startAgent(options: AgentOptions = {}): Promise<AgentProcess> {
  const dataDir = options.dataDir ?? mkdtempSync(path.join(tmpdir(), "millrace-agent-"));
  for (const [name, text] of Object.entries(options.scripts ?? {})) writeScript(dataDir, name, text);
  const configFile = path.join(dataDir, "agent.toml");
  if (options.config !== null) writeFileSync(configFile, options.config ?? "");
  const args = [
    "agent",
    "--listen",
    "127.0.0.1:0",
    "--data-dir",
    dataDir,
    ...(options.config === null ? [] : ["--config", configFile]),
    ...(options.args ?? []),
  ];
  const child = spawn(process.execPath, [options.program ?? program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    // Tests reload as often as they like, unless they say otherwise.
    env: { ...process.env, ENV_RELOAD_INTERVAL: "1ms", ...options.env },
  });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const url = await boundUrl(child, () => log);
  return {
    url,
    pid: child.pid!,
    dataDir,
    log: () => log,
    send: (at, sent, to = url) => send(`${to}${at}`, sent),
    output: async (category) => {
      const folder = path.join(dataDir, "output");
      const files = (await readdir(folder)).filter((file) => file.startsWith(`${category}.`)).sort();
      const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), "utf8")));
      // What stands behind the last newline is being written.
      return texts.flatMap((text) => text.split("\n").slice(0, -1)).filter((line) => line !== "");
    },
    metric: async (sample) => {
      const { text } = await send(`${url}/metrics`);
      const line = text.split("\n").find((each) => each.startsWith(`${sample} `));
      return line === undefined ? 0 : Number(line.slice(sample.length + 1));
    },
    signal: (signal) => {
      child.kill(signal);
    },
    kill: () => ended(child, "SIGKILL"),
    exitCode: () => child.exitCode,
    stop: async () => {
      await ended(child, "SIGTERM");
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function writeScript(dataDir: string, name: string, text: string): void {
  const file = path.join(dataDir, "pipeline", name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function boundUrl(child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout!.on("data", (chunk) => {
      text += chunk;
      const found = /listening on (\S+)\n/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("close", (code) => reject(new Error(`the agent ended with ${code}: ${log()}`)));
  });
}

/** Not `fetch`: it sends neither a Host nor an Origin of one's choice, and asks for compression by itself. */
export function send(url: string, { method, headers = {}, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method: method ?? (body === undefined ? "GET" : "POST"),
        // Node sends a DELETE's body without any length of its own accord.
        headers:
          body === undefined || method !== "DELETE"
            ? headers
            : { "content-length": Buffer.byteLength(body), ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const all = Buffer.concat(chunks);
          resolve({ status: response.statusCode!, headers: response.headers, body: all, text: all.toString() });
        });
        response.on("error", reject);
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}
