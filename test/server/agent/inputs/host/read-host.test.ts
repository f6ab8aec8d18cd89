// The points that the reader makes from the counters of a machine, here from a folder that looks like /proc.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { addProcessCounts, addProcessUse, busiest } from "../../../../../server/agent/inputs/host/host-objects.ts";
import { createPointWriter } from "../../../../../server/agent/inputs/host/point-writer.ts";
import { HostReader } from "../../../../../server/agent/inputs/host/read-host.ts";
import { ProcessReader, userNames } from "../../../../../server/agent/inputs/host/read-processes.ts";

function procOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-proc-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  change(folder, files);
  return folder;
}

function change(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

async function read(reader: HostReader, part: string): Promise<string[]> {
  const points = createPointWriter(5n);
  await reader.parts.find(({ name }) => name === part)!.read(points);
  return Buffer.from(points.body()).toString().split("\n").slice(0, -1);
}

it("reports the processor use between two readings", async () => {
  const proc = procOf({ stat: "cpu 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0\n" });
  const reader = new HostReader({ proc, perCpu: false });
  expect(await read(reader, "cpu")).toEqual([]);
  change(proc, { stat: "cpu 20 0 10 60 10 0 0 0 20\ncpu0 1 0 0 0 0 0 0 0 0\n" });
  expect(await read(reader, "cpu")).toEqual([
    "cpu,cpu=cpu-total usage_total=30,usage_user=20,usage_nice=0,usage_system=10,usage_idle=60,usage_iowait=10," +
      "usage_irq=0,usage_softirq=0,usage_steal=0,usage_guest=20 5",
  ]);
  expect(reader.figures.cpuUsage).toBe(30);
  // The file still has the CPU counters of the previous reading. So the reader cannot compute the CPU usage between the
  // two readings, and returns no point.
  expect(await read(reader, "cpu")).toEqual([]);
});

it("reads memory, swap, disks and network", async () => {
  const proc = procOf({
    meminfo:
      "MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 250 kB\nBuffers: 10 kB\nCached: 20 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n",
    diskstats: " 8 0 sda 1 0 2 3 4 0 5 6 0 7 8\n 7 0 loop0 1 0 2 3 4 0 5 6 0 7 8\n 8 1 sdb 0 0 0 0 0 0 0 0 0 0 0\n",
    "1/net/dev": "lo: 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9\neth 0: 1 2 3 4 0 0 0 0 5 6 7 8 0 0 0 0\n",
    "1/mounts": `/dev/root / ext4 rw 0 0\n/dev/gone /nowhere/at/all ext4 rw 0 0\n`,
  });
  const reader = new HostReader({ proc, perCpu: true });
  expect(await read(reader, "mem")).toEqual([
    "mem total=1024000i,used=768000i,free=102400i,available=256000i,buffered=10240i,cached=20480i,used_percent=75,available_percent=25 5",
    "swap total=0i,used=0i,free=0i,used_percent=0 5",
  ]);
  expect(await read(reader, "diskio")).toEqual([
    "diskio,name=sda reads=1i,writes=4i,read_bytes=1024i,write_bytes=2560i,read_time=3i,write_time=6i,io_time=7i 5",
  ]);
  expect(reader.figures.readRate).toBeUndefined();
  expect(await read(reader, "net")).toEqual([
    "net,interface=eth\\ 0 bytes_recv=1i,packets_recv=2i,err_in=3i,drop_in=4i,bytes_sent=5i,packets_sent=6i,err_out=7i,drop_out=8i 5",
  ]);
  const disks = await read(reader, "disk");
  expect(disks).toHaveLength(1);
  expect(disks[0]).toMatch(
    /^disk,device=root,path=\/,fstype=ext4 total=\d+i,used=\d+i,free=\d+i,used_percent=[\d.]+,inodes_total=/,
  );
  await read(reader, "diskio");
  expect(reader.figures.readRate).toBe(0n);
});

it("reads the values that Node offers when there is no /proc", async () => {
  const reader = new HostReader({ proc: undefined, perCpu: false });
  expect(reader.parts.map(({ name }) => name)).toEqual(["cpu", "mem", "system", "disk"]);
  expect(await read(reader, "mem")).toEqual([expect.stringMatching(/^mem total=\d+i,/)]);
  expect(await read(reader, "system")).toEqual([
    expect.stringMatching(/^system load1=[\d.]+,.*n_cpus=\d+i,uptime=\d+i /),
  ]);
});

it("counts processes by state, finds the busiest and the largest, and reads at most the allowed number", async () => {
  const stat = (pid: number, name: string, state: string, ticks: number, pages: number) =>
    `${pid} (${name}) ${state} 0 0 0 0 0 0 1 0 2 0 ${ticks} 0 0 0 20 0 3 0 50 4096 ${pages} 0`;
  const proc = procOf({
    "1/stat": stat(1, "init", "S", 5, 10),
    "1/status": "Uid:\t0\t0\t0\t0\nvoluntary_ctxt_switches:\t12\n",
    "1/cmdline": "/sbin/init\0splash\0",
    "2/stat": stat(2, "kworker", "I", 900, 0),
    "3/stat": stat(3, "big", "D", 0, 9000),
    "4/stat": stat(4, "busy\nx", "R", 800, 20),
    "5/stat": "junk",
    "6/other": "",
    "7/stat": stat(7, "old", "Z", 0, 0),
    "self/stat": stat(9, "self", "R", 0, 1),
  });
  symlinkSync("/srv", path.join(proc, "1/cwd"));
  const reader = new ProcessReader(proc);
  const processes = await reader.read(100);
  expect(processes.all.map(({ pid }) => pid).sort()).toEqual([1, 2, 3, 4, 7]);
  expect(busiest(processes, 2).map(({ name }) => name)).toEqual(["busy\nx", "big"]);
  expect(busiest(processes, 0)).toEqual([]);
  const points = createPointWriter(5n);
  addProcessCounts(points, processes);
  addProcessUse(points, busiest(processes, 1), {
    hostname: "",
    address: "",
    bootTime: 0,
    pageBytes: 4096,
    memoryBytes: 0,
  });
  expect(Buffer.from(points.body()).toString()).toBe(
    "processes total=5i,running=1i,sleeping=1i,blocked=1i,stopped=0i,zombies=1i,idle=1i,unknown=0i,total_threads=15i,not_read=0i 5\n" +
      "procstat,process_name=busy_x processes=1i,cpu_usage=0,rss=81920i,threads=3i 5\n",
  );
  expect(reader.details(1)).toEqual({
    command: "/sbin/init splash",
    userId: "0",
    voluntarySwitches: 12n,
    otherSwitches: undefined,
    folder: "/srv",
  });
  expect(reader.details(99)).toMatchObject({ command: "", userId: "" });
  // The reader computes the recent CPU use of a process as the difference between two readings.
  change(proc, { "4/stat": stat(4, "busy", "R", 900, 20) });
  const again = await reader.read(100);
  expect(again.all.find(({ pid }) => pid === 4)!.recentCpu).toBeGreaterThan(0);
  expect(again.all.find(({ pid }) => pid === 1)!.recentCpu).toBe(0);
  expect((await reader.read(3)).skipped).toBe(4);
});

it("reads the names of users", () => {
  const proc = procOf({ passwd: "root:x:0:0:root:/root:/bin/sh\nbad line\nwww:x:33:33::/:/bin/false\n" });
  expect([...userNames(path.join(proc, "passwd"))]).toEqual([
    ["0", "root"],
    ["33", "www"],
  ]);
  expect(userNames("/nowhere").size).toBe(0);
});
