// Measures what an attack on a running service costs other clients: the peak of the service's memory above its memory
// before the attack, and the delay of other requests during the attack. Prints one line for each attack.

import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";

export interface Attack {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** A description of the attacking request. It appears in the line that is printed. */
  readonly sent: string;
  /** The path that other clients request during the attack. */
  readonly otherPath?: string;
}

export interface Cost {
  /**
   * The increase of the service's memory in MiB: the peak during the attack minus the memory before the attack. NaN
   * when the operating system does not report the memory.
   */
  readonly peakMb: number;
  /** The 99th percentile of the delays of other clients' requests during the attack, in milliseconds. */
  readonly p99: number;
  readonly answer: string;
}

const probeMs = 10;

/**
 * Runs the attack `work`, which returns a summary of its answers, and measures its cost. The caller compares the cost
 * with limits.
 */
export async function measure(
  { name, url, pid, sent, otherPath = "/v1/ping" }: Attack,
  work: () => Promise<string>,
): Promise<Cost> {
  const idleMb = residentMb(pid, "VmRSS");
  forgetPeak(pid);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const delays: number[] = [];
  let isOver = false;
  const probes = (async () => {
    while (!isOver) {
      const began = performance.now();
      await ask(`${url}${otherPath}`, agent);
      delays.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, probeMs));
    }
  })();
  try {
    const answer = await work();
    const peakMb = residentMb(pid, "VmHWM") - idleMb;
    isOver = true;
    await probes;
    delays.sort((a, b) => a - b);
    const p99 = delays[Math.min(delays.length - 1, Math.floor(delays.length * 0.99))] ?? 0;
    console.log(
      `attack: ${name}; sent: ${sent}; memory: +${peakMb.toFixed(0)} MiB; others: p99 ${p99.toFixed(0)} ms; answer: ${answer}`,
    );
    return { peakMb, p99, answer };
  } finally {
    isOver = true;
    agent.destroy();
  }
}

function residentMb(pid: number, field: "VmRSS" | "VmHWM"): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** Resets the peak of memory that the operating system has recorded for a process. */
function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Only Linux has the file clear_refs. On other systems the peak of memory is not measured.
  }
}

function ask(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent }, (response) => response.resume().on("end", resolve).on("error", reject));
    call.on("error", reject).end();
  });
}

/** Opens connections that send this text and then nothing more. */
export async function openSockets(
  url: string,
  count: number,
  text: string,
  localAddress?: string,
): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(url);
  const opened = Array.from({ length: count }, () => {
    const socket = connect({
      port: Number(port),
      host: hostname,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    socket.on("error", () => {});
    return new Promise<Socket>((resolve) => socket.write(text, () => resolve(socket)));
  });
  return await Promise.all(opened);
}
