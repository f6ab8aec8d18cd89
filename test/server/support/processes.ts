// Finds the processes of an agent that accepts writes in several processes, and opens connections to a certain one of
// them.

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { AgentProcess } from "./running-agent.ts";

interface Listed {
  readonly pid: number;
  readonly parent: number;
}

/** Returns the running processes, without zombies. */
function running(): Listed[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" }).trim().split("\n");
  return rows.flatMap((row) => {
    const [pid, parent, state] = row.trim().split(/\s+/);
    return state.startsWith("Z") ? [] : [{ pid: Number(pid), parent: Number(parent) }];
  });
}

/** Returns the processes that `pid` has started, oldest first. */
export function childrenOf(pid: number): number[] {
  const children = running().filter(({ parent }) => parent === pid);
  return children.map((each) => each.pid).sort((a, b) => a - b);
}

export function isRunning(pid: number): boolean {
  return running().some((each) => each.pid === pid);
}

/** Returns the client ports of the connections of each agent process, the main process first. Works on Linux only. */
export function clientPorts(agent: AgentProcess): number[][] {
  const own = Number(new URL(agent.url).port);
  const portOf = (address: string) => Number.parseInt(address.split(":")[1], 16);
  const ports = new Map<string, number>();
  for (const row of readFileSync("/proc/net/tcp", "utf8").trim().split("\n").slice(1)) {
    const [, local, remote, state, , , , , , inode] = row.trim().split(/\s+/);
    if (portOf(local) === own && state === established) ports.set(`socket:[${inode}]`, portOf(remote));
  }
  return [agent.pid, ...childrenOf(agent.pid)].map((pid) =>
    readdirSync(`/proc/${pid}/fd`).flatMap((file) => ports.get(linkOf(`/proc/${pid}/fd/${file}`)) ?? []),
  );
}

const established = "01";

/**
 * Returns the target of a symbolic link in /proc; empty when the process has closed the file after the file was listed.
 */
function linkOf(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}

/** A connection over which a test sends the bytes of a request unchanged and gets the text of the answer unchanged. */
export interface RawClient {
  /** Sends a request and returns the text of the whole answer. */
  ask(request: string | Uint8Array): Promise<string>;
  /** The port of the client's end of the connection. */
  readonly port: number;
  /** Whether the server has closed the connection. */
  readonly isOver: boolean;
  close(): void;
}

export function openClient(url: string): RawClient {
  const { hostname, port } = new URL(url);
  return rawClient(connect(Number(port), hostname));
}

export function rawClient(socket: Socket): RawClient {
  let text = "";
  let isOver = false;
  let wake = () => {};
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    text += chunk;
    wake();
  });
  socket.on("error", () => {});
  for (const end of ["end", "close"] as const) {
    socket.on(end, () => {
      isOver = true;
      wake();
    });
  }
  return {
    ask: async (request) => {
      socket.write(request);
      const isHead = Buffer.from(request).subarray(0, 5).toString() === "HEAD ";
      for (;;) {
        const bytes = lengthOf(text, isHead, isOver);
        if (bytes !== undefined) {
          const answer = text.slice(0, bytes);
          text = text.slice(bytes);
          return answer;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    get port() {
      return socket.localPort!;
    },
    get isOver() {
      return isOver;
    },
    close: () => socket.destroy(),
  };
}

/** Returns the length of the first HTTP answer in a text, or undefined while the answer is incomplete. */
function lengthOf(text: string, isHead: boolean, isOver: boolean): number | undefined {
  // The server may send an interim answer with the status 100 before the actual answer. The returned length includes
  // the interim answer.
  const before = text.startsWith("HTTP/1.1 100 ") ? text.indexOf("\r\n\r\n") + 4 : 0;
  const end = text.indexOf("\r\n\r\n", before);
  if (end < 0) return isOver ? text.length : undefined;
  const head = text.slice(before, end).toLowerCase();
  const body = end + 4;
  if (isHead || /^http\/1\.1 (?:204|304) /.test(head)) return body;
  if (head.includes("\r\ntransfer-encoding: chunked")) {
    const last = text.indexOf("0\r\n\r\n", body);
    return last < 0 ? (isOver ? text.length : undefined) : last + 5;
  }
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined && text.length >= body + Number(length)) return body + Number(length);
  return isOver ? text.length : undefined;
}

export const dryWrite = "POST /v1/write/profiling?dry=1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\np v=1i";

/** The longest wait for an answer in milliseconds. Without an answer in this time, another connection is opened. */
const answerMs = 100;
const mostClients = 50;

/**
 * Opens a connection that the process `pid` of the agent handles. The agent passes each new connection to the process
 * with the fewest connections. So the function may have to open connections to other processes first; it closes them at
 * the end.
 */
export async function openClientOf(agent: AgentProcess, pid: number, open = openClient): Promise<RawClient> {
  const others: RawClient[] = [];
  const isOf = process.platform === "linux" ? isHeld : answersAlone;
  try {
    while (others.length < mostClients) {
      const client = open(agent.url);
      await client.ask(dryWrite);
      if (await isOf(agent, pid, client)) return client;
      others.push(client);
    }
    throw new Error(`none of ${mostClients} connections came to process ${pid}`);
  } finally {
    for (const each of others) each.close();
  }
}

async function isHeld(agent: AgentProcess, pid: number, client: RawClient): Promise<boolean> {
  const at = [agent.pid, ...childrenOf(agent.pid)].indexOf(pid);
  for (;;) {
    const holds = clientPorts(agent).map((ports) => ports.includes(client.port));
    const holders = holds.filter((each) => each).length;
    if (holders === 1) return holds[at];
    if (holders === 0) throw new Error("no process has the connection");
    // While the main process passes a connection to another process, both have it open. So the test waits until only
    // one of them has it.
    await wait(1);
  }
}

/**
 * Returns whether the process `pid` handles the connection. The function suspends all other processes and sends a
 * request, which is then answered only if the process `pid` handles the connection. The tests use it where the kernel
 * does not list the connections of each process.
 */
async function answersAlone(agent: AgentProcess, pid: number, client: RawClient): Promise<boolean> {
  const others = [agent.pid, ...childrenOf(agent.pid)].filter((each) => each !== pid);
  for (const other of others) process.kill(other, "SIGSTOP");
  try {
    const answer = await Promise.race([client.ask(dryWrite), wait(answerMs, "")]);
    if (answer !== "" && !answer.startsWith("HTTP/1.1 200 ")) throw new Error(`process ${pid} answers ${answer}`);
    return answer !== "";
  } finally {
    for (const other of others) process.kill(other, "SIGCONT");
  }
}
