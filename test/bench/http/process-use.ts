// What a server uses of the machine, over its process and those that it started, and how it is held still (Linux; elsewhere
// undefined, and nothing is held).

import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/** It and those that it started do nothing until they are let go: what they put off is not done at the cost of others. */
export function hold(pid: number): void {
  signalAll(pid, "SIGSTOP");
}

export function letGo(pid: number): void {
  signalAll(pid, "SIGCONT");
}

function signalAll(pid: number, signal: "SIGSTOP" | "SIGCONT"): void {
  sumOf(pid, (each) => Number(process.kill(each, signal)));
}

/** User and system time; the kernel counts in hundredths of a second. */
export function cpuSecondsOf(pid: number): number | undefined {
  return sumOf(pid, (each) => {
    const text = readFileSync(`/proc/${each}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  });
}

/** Pages that processes share, such as the program itself, count in each of them. */
export function residentBytesOf(pid: number): number | undefined {
  return sumOf(pid, (each) => {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${each}/status`, "utf8"))?.[1];
    return Number(kilobytes) * 1024;
  });
}

function sumOf(pid: number, use: (pid: number) => number): number | undefined {
  try {
    return processes(pid).reduce((sum, each) => sum + use(each), 0);
  } catch {
    return undefined;
  }
}

/** It and those that its threads started, and so on. */
function processes(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => childrenOf(pid, thread));
  return [pid, ...children.flatMap(processes)];
}

function childrenOf(pid: number, thread: string): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    // The thread has ended meanwhile.
    return [];
  }
}
