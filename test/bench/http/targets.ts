// The servers that the HTTP benchmark measures: a node:http server that drops every body, which shows the highest rate
// that Node can reach; the agent with each flush policy of its queue; and servers from packages of the operating
// system, when they are installed.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

export interface Target {
  readonly name: string;
  /** The reason why the server is not measured; undefined when it can be started. */
  readonly missing: string | undefined;
  /** Number of processes that answer requests. A target without this member has one. */
  readonly processes?: number;
  start(): Promise<Started>;
}

export interface Started {
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  /**
   * Returns the number of points that are accepted but not forwarded yet. Servers that forward nothing lack this
   * function.
   */
  readonly queued?: () => Promise<number>;
  /** Id of the process that receives the forwarded points. Servers that forward nothing lack this member. */
  readonly gatewayPid?: number;
  stop(): Promise<void>;
}

interface AgentOptions {
  readonly gzip: boolean;
  readonly name: string;
  readonly processes: number;
  /** Path of the program `server/main.js` of a build of Millrace. */
  readonly main: string;
}

export const program = fileURLToPath(new URL("../../../server/main.js", import.meta.url));
const nodeHttp = fileURLToPath(new URL("./node-http.js", import.meta.url));
export const sink = fileURLToPath(new URL("./sink.js", import.meta.url));

const cores = Math.max(2, availableParallelism());
/**
 * Settings of an agent with one process for each core. `name` is appended to the agent's name in the tables, and
 * `processes` is the number of processes.
 */
export const onEachCore = { name: `x${cores}`, processes: cores };

export const targets: readonly Target[] = [
  {
    name: "node:http",
    missing: undefined,
    start: async () => {
      const child = spawn(process.execPath, [nodeHttp], { stdio: ["ignore", "pipe", "inherit"] });
      const port = Number(await firstLine(child));
      return { pid: child.pid!, port, path: "/", stop: () => stop(undefined, child) };
    },
  },
  agent("fdatasync"),
  agent("os"),
  agent("os", { gzip: true }),
  agent("os", onEachCore),
  agent("os", { gzip: true, ...onEachCore }),
  {
    name: "victoria-metrics",
    missing: absent("victoria-metrics"),
    start: async () => {
      const folder = temporary();
      const port = await freePort();
      const args = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, "-loggerLevel=ERROR"];
      const child = spawn("victoria-metrics", args, { stdio: "ignore" });
      await answers(port, "/health", child);
      return { pid: child.pid!, port, path: "/write", stop: () => stop(folder, child) };
    },
  },
  {
    name: "influxdb",
    missing: absent("influxd"),
    start: async () => {
      const folder = temporary();
      const [port, rpcPort] = [await freePort(), await freePort()];
      const file = path.join(folder, "influxdb.conf");
      writeFileSync(
        file,
        `reporting-disabled = true
bind-address = "127.0.0.1:${rpcPort}"
[meta]
  dir = "${folder}/meta"
[data]
  dir = "${folder}/data"
  wal-dir = "${folder}/wal"
  query-log-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
[monitor]
  store-enabled = false
`,
      );
      const child = spawn("influxd", ["run", "-config", file], { stdio: "ignore" });
      await answers(port, "/ping", child);
      await fetch(`http://127.0.0.1:${port}/query?q=CREATE+DATABASE+bench`, { method: "POST" });
      return { pid: child.pid!, port, path: "/write?db=bench", stop: () => stop(folder, child) };
    },
  },
];

/** The names of the agents of another build end with this word. */
export const otherBuild = "before";

/**
 * Returns the agents of another build of Millrace, such as an earlier version, so that both can be compared. `folder`
 * is the folder `dist` of that build.
 */
export function agentsOf(folder: string): readonly Target[] {
  const build = { name: otherBuild, main: path.resolve(folder, "server/main.js") };
  return [agent("fdatasync", build), agent("os", build)];
}

function agent(
  sync: "fdatasync" | "os",
  { gzip = false, name = "", processes = 1, main = program }: Partial<AgentOptions> = {},
): Target {
  return {
    name: ["millrace", sync, gzip ? "gzip" : "", name].filter((part) => part !== "").join(" "),
    missing: undefined,
    processes,
    start: async () => {
      const folder = temporary();
      const gateway = spawn(process.execPath, [sink], { stdio: ["ignore", "pipe", "inherit"] });
      const gatewayPort = Number(await firstLine(gateway));
      const file = path.join(folder, "agent.toml");
      writeFileSync(
        file,
        `[http_api]
request_rate_limit = 0
processes = ${processes}
[gateway]
urls = ["http://127.0.0.1:${gatewayPort}"]
${gzip ? "gzip = true" : ""}
[gateway.wal]
sync = "${sync}"
[logging]
level = "error"
`,
      );
      const args = [main, "agent", "--listen", "127.0.0.1:0", "--data-dir", folder, "--config", file];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const port = Number(/:(\d+)$/.exec(await firstLine(child))![1]);
      return {
        pid: child.pid!,
        port,
        path: "/v1/write/metric",
        gatewayPid: gateway.pid!,
        queued: () => queuedPoints(port),
        stop: () => stop(folder, child, gateway),
      };
    },
  };
}

async function queuedPoints(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Array.from(text.matchAll(/^agent_io_queue_points\{.*\} (\S+)$/gm), ([, value]) => Number(value)).reduce(
    (sum, value) => sum + value,
    0,
  );
}

export function absent(name: string): string | undefined {
  const there = (process.env.PATH ?? "").split(path.delimiter).some((folder) => existsSync(path.join(folder, name)));
  return there
    ? undefined
    : `${name} is not installed (Debian: apt-get install ${name === "influxd" ? "influxdb" : name})`;
}

export function temporary(): string {
  return mkdtempSync(path.join(tmpdir(), "millrace-bench-"));
}

export async function stop(folder: string | undefined, ...children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    // The server may be killed by SIGKILL, because nobody needs the points that still wait to be forwarded.
    child.kill("SIGKILL");
    await ended;
  }
  // The server has ended, but the processes that its child processes started end a moment later, and may still write
  // files. So the removal of the folder is repeated until it succeeds.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout!.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    child.once("exit", (code) => reject(new Error(`the process ended with ${code}`)));
  });
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

export async function answers(port: number, at: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null) throw new Error(`the process ended with ${child.exitCode}`);
    try {
      if ((await fetch(`http://127.0.0.1:${port}${at}`)).ok) return;
    } catch {
      // The server does not listen yet, so it refused the connection. The loop tries again.
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the process does not answer");
}
