// Measures the memory and processor time of a server and its child processes, and pauses them between their turns.
// Works on Linux only; elsewhere the functions return undefined and pause nothing.

import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/**
 * Pauses a process and its children until `letGo` is called, so that their background work does not disturb the server
 * that is measured.
 */
export function hold(pid: number): void {
  signalAll(pid, "SIGSTOP");
}

export function letGo(pid: number): void {
  signalAll(pid, "SIGCONT");
}

function signalAll(pid: number, signal: "SIGSTOP" | "SIGCONT"): void {
  sumOf(pid, (each) => Number(process.kill(each, signal)));
}

/** Returns user and system time in seconds. The kernel counts them in hundredths of a second. */
export function cpuSecondsOf(pid: number): number | undefined {
  return sumOf(pid, (each) => {
    const text = readFileSync(`/proc/${each}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  });
}

/**
 * Returns the resident memory in bytes. Pages that several processes share, such as the program code, count once for
 * each process.
 */
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

/** Returns the ids of the process and all its descendants. */
function processes(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => childrenOf(pid, thread));
  return [pid, ...children.flatMap(processes)];
}

function childrenOf(pid: number, thread: string): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    // The thread has ended since the list of threads was read, so it has no child processes.
    return [];
  }
}
