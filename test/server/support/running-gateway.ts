// Runs a gateway as a child process, and servers in place of the workspaces (the tenants of the platform to which the
// gateway forwards points). Each of these servers records the points that it receives.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { ended } from "./child.ts";
import { type Answer, program, type Sent, send } from "./running-agent.ts";

export interface GatewayProcess {
  readonly url: string;
  readonly dataDir: string;
  readonly sinkerFile: string;
  /** Returns what the gateway has written to standard error so far. */
  log(): string;
  /** Returns what the gateway has written to standard output so far. */
  said(): string;
  send(path: string, sent?: Sent): Promise<Answer>;
  /** Returns the sum of the samples at /metrics whose lines begin with `sample`. Returns 0 when there are none. */
  metric(sample: string): Promise<number>;
  writeRules(file: unknown): void;
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface GatewayOptions {
  /**
   * The content of the rules file, as text or as a value that is written as JSON. Without this option there is no file.
   */
  readonly rules?: unknown;
  readonly config?: string;
  readonly args?: readonly string[];
  readonly dataDir?: string;
  /** The content of files, by their path below the data folder. */
  readonly files?: Readonly<Record<string, string>>;
  /** The address to listen on. Without this option it is any free port of 127.0.0.1. */
  readonly listen?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function startGatewayProcess(options: GatewayOptions = {}): Promise<GatewayProcess> {
  const dataDir = options.dataDir ?? mkdtempSync(path.join(tmpdir(), "millrace-gateway-"));
  const sinkerFile = path.join(dataDir, "sinker.json");
  const writeRules = (file: unknown) =>
    writeFileSync(sinkerFile, typeof file === "string" ? file : JSON.stringify(file));
  if (options.rules !== undefined) writeRules(options.rules);
  for (const [name, text] of Object.entries(options.files ?? {})) writeFileSync(path.join(dataDir, name), text);
  const configFile = path.join(dataDir, "gateway.toml");
  writeFileSync(configFile, options.config ?? "");
  const args = ["gateway", "--listen", options.listen ?? "127.0.0.1:0", "--data-dir", dataDir, "--config", configFile];
  if (options.rules !== undefined) args.push("--sinker", sinkerFile);
  const child = spawn(process.execPath, [program, ...args, ...(options.args ?? [])], {
    stdio: ["ignore", "pipe", "pipe"],
    // After a reload, the next reload normally waits for a minimum time. Tests switch this waiting off.
    env: { ...process.env, ENV_RELOAD_INTERVAL: "1ms", ...options.env },
  });
  let log = "";
  let said = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const found = /listening on (\S+)\n/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("close", (code) => reject(new Error(`the gateway ended with ${code}: ${log}`)));
  });
  return {
    url,
    dataDir,
    sinkerFile,
    log: () => log,
    said: () => said,
    send: (at, sent) => send(`${url}${at}`, sent),
    metric: async (sample) => {
      const { text } = await send(`${url}/metrics`);
      return text
        .split("\n")
        .filter((line) => line.startsWith(sample))
        .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
    },
    writeRules,
    signal: (signal) => {
      child.kill(signal);
    },
    kill: () => ended(child, "SIGKILL"),
    stop: async () => {
      await ended(child, "SIGTERM");
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Delivered {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * How a workspace answers: always with a status and body, with the status that a function chooses for each received
 * body, or never (`silent`).
 */
type Behaviour = { status: number; body?: string } | "silent" | ((body: string) => { status: number });

/** A server that takes the place of all workspaces. The token of a request tells which workspace the request is for. */
export interface Workspaces {
  readonly url: string;
  /** All requests that the server received, including those that it refused. */
  readonly seen: Delivered[];
  /** Returns the requests to a workspace that were answered with 2xx. */
  of(token: string): Delivered[];
  /** Returns the lines of points that a workspace accepted. */
  lines(token: string): string[];
  behave(token: string, how: Behaviour): void;
  close(): Promise<void>;
}

export async function startWorkspaces(): Promise<Workspaces> {
  const seen: Delivered[] = [];
  const taken: Delivered[] = [];
  const behaviour = new Map<string, Behaviour>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const url = new URL(request.url!, "http://x");
    const token = url.searchParams.get("token") ?? "";
    const bytes = Buffer.concat(chunks);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
    const delivered = {
      method: request.method!,
      path: url.pathname,
      token,
      query: url.searchParams,
      headers: request.headers,
      body,
    };
    seen.push(delivered);
    const behaves = behaviour.get(token) ?? { status: 200 };
    const how = typeof behaves === "function" ? { body: "", ...behaves(body.toString()) } : behaves;
    if (how === "silent") return;
    if (how.status < 300) taken.push(delivered);
    response.writeHead(how.status).end(how.body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    of: (token) => taken.filter((each) => each.token === token),
    lines: (token) =>
      taken
        .filter((each) => each.token === token)
        .flatMap(({ body }) => body.toString().split("\n"))
        .filter((line) => line !== ""),
    behave: (token, how) => {
      behaviour.set(token, how);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
