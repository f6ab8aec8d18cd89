// Reads the parts of the machine (such as processors and disks), and writes one or more metric points for each part.
// Keeps the counts of the previous reading, because some figures are differences between two readings. On systems other
// than Linux, reads only what Node.js reports.

import { readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { PointWriter } from "./point-writer.ts";
import {
  type CpuTimes,
  cpuStates,
  netCounts,
  parseDiskstats,
  parseLoadavg,
  parseMeminfo,
  parseMounts,
  parseNetDev,
  parseStat,
  wholeDisks,
} from "./proc-files.ts";

/** Largest number of disks that become points. Mounts and network interfaces each have the same limit. */
const mostDevices = 200;

/** The newest measured values of the whole machine, for the point that describes the machine. */
export interface HostFigures {
  cpuUsage?: number;
  memUsedPercent?: number;
  load?: number;
  diskTotal?: bigint;
  diskUsedPercent?: number;
  readRate?: bigint;
  writeRate?: bigint;
  receiveRate?: bigint;
  sendRate?: bigint;
}

export interface HostPart {
  readonly name: string;
  read(points: PointWriter): Promise<void> | void;
}

export interface HostReaderOptions {
  /** The folder of the file system /proc; undefined on systems that do not have it. */
  readonly proc: string | undefined;
  readonly perCpu: boolean;
}

export class HostReader {
  readonly figures: HostFigures = {};
  private readonly proc: string | undefined;
  private readonly perCpu: boolean;
  private cpusBefore: ReadonlyMap<string, CpuTimes> = new Map();
  private readonly diskRates = createRates();
  private readonly netRates = createRates();

  constructor({ proc, perCpu }: HostReaderOptions) {
    this.proc = proc;
    this.perCpu = perCpu;
  }

  /** The parts of the machine (such as processors or disks) that can be read on this operating system. */
  get parts(): readonly HostPart[] {
    const part = (name: string, read: (points: PointWriter) => Promise<void> | void) => ({ name, read });
    const everywhere = [
      part("cpu", (points) => this.readCpu(points)),
      part("mem", (points) => this.readMemory(points)),
      part("system", (points) => this.readSystem(points)),
      part("disk", (points) => this.readDisks(points)),
    ];
    if (this.proc === undefined) return everywhere;
    return [
      ...everywhere,
      part("diskio", (points) => this.readDiskIo(points)),
      part("net", (points) => this.readNetwork(points)),
    ];
  }

  private text(name: string): string {
    return readFileSync(path.join(this.proc!, name), "latin1");
  }

  /**
   * Returns the text of a file that /proc has for each process. When the configured folder is `/proc`, reads the
   * file of the agent's own process. Any other configured folder is the /proc of a host, mounted into the agent's
   * container. There the function reads the file of process 1, because the agent's own process would describe only
   * the container.
   */
  private textOfFirst(name: string): string {
    return this.text(path.join(this.proc === "/proc" ? "self" : "1", name));
  }

  private readCpu(points: PointWriter): void {
    const cpus = this.proc === undefined ? systemCpus() : parseStat(this.text("stat")).cpus;
    for (const [cpu, times] of cpus) {
      const before = this.cpusBefore.get(cpu);
      const usage = before === undefined ? undefined : usageOf(before, times);
      if (usage === undefined || (cpu !== "cpu-total" && !this.perCpu)) continue;
      points.add("cpu", { cpu }, usage);
      if (cpu === "cpu-total") this.figures.cpuUsage = usage.usage_total!;
    }
    this.cpusBefore = cpus;
  }

  private readMemory(points: PointWriter): void {
    const amounts = this.proc === undefined ? new Map<string, number>() : parseMeminfo(this.text("meminfo"));
    const total = amounts.get("MemTotal") ?? os.totalmem();
    const free = amounts.get("MemFree") ?? os.freemem();
    const available = amounts.get("MemAvailable") ?? free;
    const used = total - available;
    points.add(
      "mem",
      {},
      {
        total: whole(total),
        used: whole(used),
        free: whole(free),
        available: whole(available),
        buffered: whole(amounts.get("Buffers")),
        cached: whole(amounts.get("Cached")),
        used_percent: percent(used, total),
        available_percent: percent(available, total),
      },
    );
    this.figures.memUsedPercent = percent(used, total);
    const swap = amounts.get("SwapTotal");
    if (swap === undefined) return;
    const swapFree = amounts.get("SwapFree") ?? 0;
    const swapUsed = swap - swapFree;
    points.add(
      "swap",
      {},
      {
        total: whole(swap),
        used: whole(swapUsed),
        free: whole(swapFree),
        used_percent: swap === 0 ? 0 : percent(swapUsed, swap),
      },
    );
  }

  private readSystem(points: PointWriter): void {
    const load = (this.proc === undefined ? undefined : parseLoadavg(this.text("loadavg"))) ?? os.loadavg();
    points.add(
      "system",
      {},
      {
        load1: load[0],
        load5: load[1],
        load15: load[2],
        n_cpus: BigInt(os.cpus().length),
        uptime: whole(os.uptime()),
      },
    );
    this.figures.load = load[0];
  }

  private async readDisks(points: PointWriter): Promise<void> {
    const mounts =
      this.proc === undefined
        ? [{ device: "", path: path.parse(process.cwd()).root, type: "" }]
        : parseMounts(this.textOfFirst("mounts"));
    let [total, used, usable] = [0, 0, 0];
    for (const mount of mounts.slice(0, mostDevices)) {
      const found = await statfs(mount.path).catch(() => undefined);
      if (found === undefined || found.blocks === 0) continue;
      const size = found.blocks * found.bsize;
      const taken = (found.blocks - found.bfree) * found.bsize;
      const free = found.bavail * found.bsize;
      total += size;
      used += taken;
      usable += taken + free;
      points.add(
        "disk",
        { device: mount.device.replace(/^\/dev\//, ""), path: mount.path, fstype: mount.type },
        {
          total: whole(size),
          used: whole(taken),
          free: whole(free),
          used_percent: percent(taken, taken + free),
          inodes_total: whole(found.files),
          inodes_free: whole(found.ffree),
          inodes_used: whole(found.files - found.ffree),
        },
      );
    }
    if (total === 0) return;
    this.figures.diskTotal = whole(total)!;
    this.figures.diskUsedPercent = percent(used, usable);
  }

  private readDiskIo(points: PointWriter): void {
    const all = parseDiskstats(this.text("diskstats"));
    const shown = all.filter(({ name, reads, writes }) => !/^(?:loop|ram)\d/.test(name) && reads + writes > 0);
    for (const disk of shown.slice(0, mostDevices)) {
      points.add(
        "diskio",
        { name: disk.name },
        {
          reads: whole(disk.reads),
          writes: whole(disk.writes),
          read_bytes: whole(disk.readBytes),
          write_bytes: whole(disk.writeBytes),
          read_time: whole(disk.readMs),
          write_time: whole(disk.writeMs),
          io_time: whole(disk.ioMs),
        },
      );
    }
    const disks = wholeDisks(all);
    const rates = this.diskRates([sumOf(disks, "readBytes"), sumOf(disks, "writeBytes")]);
    if (rates !== undefined) [this.figures.readRate, this.figures.writeRate] = rates as [bigint, bigint];
  }

  private readNetwork(points: PointWriter): void {
    const devices = parseNetDev(this.textOfFirst("net/dev")).filter(({ name }) => name !== "lo");
    for (const { name, counts } of devices.slice(0, mostDevices))
      points.add("net", { interface: name }, Object.fromEntries(netCounts.map(([key]) => [key, whole(counts[key])])));
    const sum = (key: "bytes_recv" | "bytes_sent") => devices.reduce((total, { counts }) => total + counts[key], 0);
    const rates = this.netRates([sum("bytes_recv"), sum("bytes_sent")]);
    if (rates !== undefined) [this.figures.receiveRate, this.figures.sendRate] = rates as [bigint, bigint];
  }
}

const whole = (value: number | undefined) =>
  value === undefined || !Number.isFinite(value) ? undefined : BigInt(Math.round(value));

const percent = (part: number, all: number) => (all === 0 ? 0 : (part / all) * 100);

function sumOf<Key extends string>(all: readonly Readonly<Record<Key, number>>[], key: Key): number {
  return all.reduce((sum, each) => sum + each[key], 0);
}

/**
 * Returns a function that computes how much the given counts (such as sent bytes) have grown per second since its
 * previous call. Its first call returns undefined.
 */
function createRates(): (counts: readonly number[]) => bigint[] | undefined {
  let before: { readonly counts: readonly number[]; readonly at: number } | undefined;
  return (counts) => {
    const last = before;
    const at = performance.now();
    before = { counts, at };
    if (last === undefined || at <= last.at) return undefined;
    // A count that became smaller was reset between the two readings, so its growth is taken as 0.
    return counts.map((count, index) =>
      BigInt(Math.round((Math.max(0, count - last.counts[index]!) / (at - last.at)) * 1000)),
    );
  };
}

/**
 * Returns the percentage of time that a processor spent in each state between two readings; undefined when no time has
 * passed.
 */
export function usageOf(before: CpuTimes, after: CpuTimes): Readonly<Record<string, number>> | undefined {
  // Linux counts the `guest` time in the `user` time too, so the total leaves out `guest`.
  const grown = Object.fromEntries(
    cpuStates.map((state) => [state, Math.max(0, after[state] - before[state])]),
  ) as CpuTimes;
  const total = cpuStates.reduce((sum, state) => sum + (state === "guest" ? 0 : grown[state]), 0);
  if (total === 0) return undefined;
  const shares = cpuStates.map((state) => [`usage_${state}`, percent(grown[state], total)] as const);
  return { usage_total: percent(total - grown.idle - grown.iowait, total), ...Object.fromEntries(shares) };
}

/** Returns the times of all processors as Node.js reports them. */
function systemCpus(): ReadonlyMap<string, CpuTimes> {
  const none = Object.fromEntries(cpuStates.map((state) => [state, 0])) as CpuTimes;
  const each = os.cpus().map(({ times }) => ({
    ...none,
    user: times.user,
    nice: times.nice,
    system: times.sys,
    idle: times.idle,
    irq: times.irq,
  }));
  const total = Object.fromEntries(cpuStates.map((state) => [state, sumOf(each, state)])) as CpuTimes;
  return new Map([["cpu-total", total], ...each.map((times, at) => [`cpu${at}`, times] as const)]);
}
