// Runs the real command line as a child process, and sends HTTP requests to it as a client would.

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
  /** Returns what the agent has written to standard error so far. */
  log(): string;
  /**
   * Sends a request to the agent. The caller gives `url`, the agent's address, only when a reload has changed this
   * address.
   */
  send(path: string, sent?: Sent, url?: string): Promise<Answer>;
  /** Returns the lines of all output files of a category. */
  output(category: string): Promise<string[]>;
  /** Returns the value of a sample of /metrics, or 0 when the sample is missing. */
  metric(sample: string): Promise<number>;
  stop(): Promise<void>;
  /** Returns the exit code, or null while the process runs and when a signal has ended it. */
  exitCode(): number | null;
  signal(signal: NodeJS.Signals): void;
  /** Ends the agent with SIGKILL. The data folder stays. */
  kill(): Promise<void>;
}

export interface AgentOptions {
  /** The text of the configuration file. With null the agent has no file, as in a container. */
  readonly config?: string | null;
  readonly args?: readonly string[];
  /** Path of the compiled command-line program. Without it, the program that was built from this repository runs. */
  readonly program?: string;
  /** Environment variables in addition to those of the test process. */
  readonly env?: Readonly<Record<string, string>>;
  /** The text of files below <data-dir>/pipeline, by relative path. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** The data folder of an earlier agent. Without this option the agent gets a new folder. */
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
    // After a reload, the next reload normally waits for a minimum time. Tests switch this waiting off.
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
      // A line without a newline at the end of the file is still being written, so it is left out.
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

/**
 * Sends an HTTP request. `fetch` is not used, because it cannot set Host and Origin and always asks for compression.
 */
export function send(url: string, { method, headers = {}, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method: method ?? (body === undefined ? "GET" : "POST"),
        // Node would send a DELETE with a body but without a length. So this code adds Content-Length.
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
