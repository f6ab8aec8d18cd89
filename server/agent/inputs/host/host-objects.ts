// Writes points of the category `object` that describe the machine and its processes, and metric points about the
// processes. The Open API returns lists of hosts and processes, which show the tags and fields of these object points
// (docs/reference/open-api.md#hosts-and-processes).

import { existsSync } from "node:fs";
import os from "node:os";
import { version } from "../../../http/version.ts";
import type { PointWriter } from "./point-writer.ts";
import type { HostFigures } from "./read-host.ts";
import { type Processes, type ProcessReader, type ReadProcess, ticksPerSecond } from "./read-processes.ts";

/** The name of each process state in points. The key is the letter that Linux uses for the state. */
const states: Readonly<Record<string, string>> = {
  R: "running",
  S: "sleeping",
  D: "blocked",
  T: "stopped",
  t: "stopped",
  Z: "zombies",
  I: "idle",
};

const architectures: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64", ia32: "i686" };

export interface Machine {
  readonly hostname: string;
  readonly address: string;
  /** Time at which the machine was started, in seconds since 1970. */
  readonly bootTime: number;
  readonly pageBytes: number;
  readonly memoryBytes: number;
}

/** Adds a point of the category object that describes the machine. */
export function addHostObject(points: PointWriter, machine: Machine, figures: HostFigures): void {
  const { hostname, address, bootTime } = machine;
  const arch = architectures[process.arch] ?? process.arch;
  const meta = { host_name: hostname, boot_time: bootTime, os: process.platform, kernel_release: os.release(), arch };
  const cpus = os.cpus();
  points.add(
    "HOST",
    { name: hostname, host: hostname, os: process.platform, arch },
    {
      millrace_ver: version,
      cpu_usage: figures.cpuUsage,
      mem_used_percent: figures.memUsedPercent,
      load: figures.load,
      disk_total: figures.diskTotal,
      disk_used_percent: figures.diskUsedPercent,
      diskio_read_bytes_per_sec: figures.readRate,
      diskio_write_bytes_per_sec: figures.writeRate,
      net_recv_bytes_per_sec: figures.receiveRate,
      net_send_bytes_per_sec: figures.sendRate,
      num_cpu: BigInt(cpus.length),
      unicast_ip: address,
      is_docker: existsSync("/.dockerenv") ? 1n : 0n,
      start_time: BigInt(Math.round(bootTime * 1000)),
      message: JSON.stringify({
        host: { meta, cpu: { model: cpus[0]?.model ?? "", cores: cpus.length }, mem: { total: machine.memoryBytes } },
      }),
    },
  );
}

/** Adds a metric point that holds the number of processes in each state. */
export function addProcessCounts(points: PointWriter, { all, skipped }: Processes): void {
  const counts: Record<string, bigint> = { running: 0n, sleeping: 0n, blocked: 0n, stopped: 0n, zombies: 0n, idle: 0n };
  let unknown = 0n;
  for (const { state } of all) {
    const name = states[state];
    if (name === undefined) unknown++;
    else counts[name]!++;
  }
  points.add(
    "processes",
    {},
    {
      total: BigInt(all.length + skipped),
      ...counts,
      unknown,
      total_threads: BigInt(all.reduce((sum, { threads }) => sum + threads, 0)),
      not_read: BigInt(skipped),
    },
  );
}

/**
 * Adds one metric point for each name that processes in `shown` have. The point holds the sums over all processes in
 * `shown` with this name.
 */
export function addProcessUse(points: PointWriter, shown: readonly ReadProcess[], { pageBytes }: Machine): void {
  const byName = new Map<string, ReadProcess[]>();
  for (const each of shown) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);
  for (const [name, all] of byName) {
    points.add(
      "procstat",
      { process_name: name },
      {
        processes: BigInt(all.length),
        cpu_usage: all.reduce((sum, { recentCpu = 0 }) => sum + recentCpu, 0),
        rss: BigInt(all.reduce((sum, { residentPages }) => sum + residentPages, 0) * pageBytes),
        threads: BigInt(all.reduce((sum, { threads }) => sum + threads, 0)),
      },
    );
  }
}

/**
 * Returns at most `most` processes. Half of them are the processes that use the most processor time; the other half are
 * those that use the most memory. Kernel threads are left out.
 */
export function busiest({ all }: Processes, most: number): readonly ReadProcess[] {
  const ofUsers = all.filter(({ residentPages, state }) => residentPages > 0 || state === "Z");
  const byCpu = ofUsers.toSorted((a, b) => (b.recentCpu ?? 0) - (a.recentCpu ?? 0) || b.ticks - a.ticks);
  const shown = new Set(byCpu.slice(0, Math.ceil(most / 2)));
  for (const each of ofUsers.toSorted((a, b) => b.residentPages - a.residentPages)) {
    if (shown.size >= most) break;
    shown.add(each);
  }
  return [...shown];
}

/** Adds one point of the category `object` for each process. `now`: the current time in seconds since 1970. */
export function addProcessObjects(
  points: PointWriter,
  shown: readonly ReadProcess[],
  reader: ProcessReader,
  {
    machine,
    users,
    now,
  }: { readonly machine: Machine; readonly users: ReadonlyMap<string, string>; readonly now: number },
): void {
  const { hostname, bootTime, pageBytes, memoryBytes } = machine;
  for (const each of shown) {
    const { command, userId, voluntarySwitches, otherSwitches, folder } = reader.details(each.pid);
    const started = bootTime + each.startTicks / ticksPerSecond;
    const seconds = Math.max(now - started, 1 / ticksPerSecond);
    const rss = each.residentPages * pageBytes;
    points.add(
      "host_processes",
      {
        name: `${hostname}_${each.pid}`,
        host: hostname,
        process_name: each.name,
        username: users.get(userId) ?? userId,
        state: each.state,
      },
      {
        pid: BigInt(each.pid),
        cmdline: command === "" ? each.name : command,
        cpu_usage: (each.ticks / ticksPerSecond / seconds) * 100,
        cpu_usage_top: each.recentCpu,
        mem_used_percent: memoryBytes === 0 ? undefined : (rss / memoryBytes) * 100,
        rss: BigInt(rss),
        vms: BigInt(each.virtualBytes),
        threads: BigInt(each.threads),
        page_minor_faults: BigInt(each.minorFaults),
        page_major_faults: BigInt(each.majorFaults),
        voluntary_ctxt_switches: voluntarySwitches,
        nonvoluntary_ctxt_switches: otherSwitches,
        start_time: BigInt(Math.round(started * 1000)),
        started_duration: BigInt(Math.round(seconds)),
        state_zombie: each.state === "Z",
        work_directory: folder,
      },
    );
  }
}
