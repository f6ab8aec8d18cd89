// Measures how fast files are read: the throughput of one large file, the latency of single lines while many files are
// watched, and the processor time of an agent whose files do not change.

import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { cpuSecondsOf } from "../http/process-use.ts";
import { temporary } from "../http/targets.ts";
import { accessLine, writeAccessFile } from "./access-lines.ts";
import { millrace, type Program, peakMiB, type Running } from "./programs.ts";

export interface Throughput {
  readonly name: string;
  readonly megabytes: number;
  readonly seconds: number;
  readonly megabytesPerSecond: number;
  readonly cpuSecondsPerGigabyte: number | undefined;
  readonly peakMiB: number | undefined;
}

/** Waits until the output has `lines` lines. Throws when it does not grow for a minute. */
async function arrived({ output }: Running, lines: number): Promise<void> {
  let [before, since] = [-1, performance.now()];
  for (;;) {
    const now = output.lines();
    if (now >= lines) {
      if (!output.isParsed) throw new Error("the output has no parsed fields");
      if (now > lines) throw new Error(`the output has ${now} lines, more than the ${lines} of the input`);
      return;
    }
    if (now !== before) [before, since] = [now, performance.now()];
    if (performance.now() - since > 60_000) throw new Error(`only ${now} of ${lines} lines have arrived`);
    await wait(20);
  }
}

/**
 * Measures how long a program needs for a file of `megabytes` MB, from the moment at which the file appears until all
 * its lines are in the output. Also measures the processor time. The program first reads a small file, so that it has
 * compiled and loaded the code that it needs.
 */
export async function throughputOf(program: Program, megabytes: number): Promise<Throughput> {
  const running = await program.start();
  const aside = temporary();
  try {
    const warm = writeAccessFile(path.join(aside, "warm"), 2_000_000);
    renameSync(path.join(aside, "warm"), path.join(running.input, "warm.log"));
    await arrived(running, warm.lines);
    const { lines, bytes } = writeAccessFile(path.join(aside, "large"), megabytes * 1e6);
    const [began, cpu] = [performance.now(), cpuSecondsOf(running.pid)];
    renameSync(path.join(aside, "large"), path.join(running.input, "large.log"));
    await arrived(running, warm.lines + lines);
    const seconds = (performance.now() - began) / 1000;
    const used = cpuSecondsOf(running.pid);
    return {
      name: program.name,
      megabytes: bytes / 1e6,
      seconds,
      megabytesPerSecond: bytes / 1e6 / seconds,
      cpuSecondsPerGigabyte: used === undefined || cpu === undefined ? undefined : ((used - cpu) * 1e9) / bytes,
      peakMiB: peakMiB(running.pid),
    };
  } finally {
    await running.stop();
    rmSync(aside, { recursive: true, force: true });
  }
}

export interface Latency {
  readonly files: number;
  readonly lines: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Starts an agent that watches `files` files of one line each, and waits until the agent has read all lines. */
async function watching(files: number): Promise<Running> {
  const running = await millrace.start();
  for (let at = 0; at < files; at++) writeFileSync(fileOf(running, at), `${accessLine(at)}\n`);
  await arrived(running, files);
  return running;
}

const fileOf = ({ input }: Running, at: number) => path.join(input, `${at}.log`);

/**
 * Measures the time from writing a line until the program has written the line to its output, while `files` files are
 * watched.
 */
export async function latencyOf(files: number, lines: number): Promise<Latency> {
  const running = await watching(files);
  try {
    running.output.news();
    const times: number[] = [];
    for (let at = 0; at < lines; at++) {
      const began = performance.now();
      appendFileSync(fileOf(running, (at * 7919) % files), `${accessLine(files + at)}\n`);
      const end = `?id=${files + at}`;
      for (let text = ""; !text.includes(end); text += running.output.news()) {
        await wait(1);
        if (performance.now() - began > 30_000) throw new Error("a line did not arrive within 30 s");
      }
      times.push(performance.now() - began);
    }
    times.sort((left, right) => left - right);
    const quantile = (part: number) => times[Math.min(lines - 1, Math.floor(part * lines))]!;
    return { files, lines, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
  } finally {
    await running.stop();
  }
}

export interface Idle {
  readonly files: number;
  readonly seconds: number;
  /** Processor time as a share of one core, from 0 to 1. */
  readonly cpu: number | undefined;
  readonly peakMiB: number | undefined;
}

/** Measures the processor time of an agent that watches `files` files that nobody writes. */
export async function idleOf(files: number, seconds: number): Promise<Idle> {
  const running = await watching(files);
  try {
    // During this pause the agent ends the work of its start (such as garbage collection), which would disturb the
    // measurement.
    await wait(10_000);
    const before = cpuSecondsOf(running.pid);
    await wait(1000 * seconds);
    const after = cpuSecondsOf(running.pid);
    const cpu = before === undefined || after === undefined ? undefined : (after - before) / seconds;
    return { files, seconds, cpu, peakMiB: peakMiB(running.pid) };
  } finally {
    await running.stop();
  }
}
