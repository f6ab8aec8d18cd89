// Parsing the files of /proc: contents that kernels write, and damaged contents.

import { describe, expect, it } from "vitest";
import {
  parseDiskstats,
  parseLoadavg,
  parseMeminfo,
  parseMounts,
  parseNetDev,
  parseProcessStat,
  parseStat,
  parseStatus,
  wholeDisks,
} from "../../../../../server/agent/inputs/host/proc-files.ts";

const junk = ["", "\n\n", "\0\0\0", "\xff\xfe", "cpu", ":", "a:b:c", "(", ")(", "x".repeat(5000), "x ".repeat(5000)];

it.each(junk)("returns no values for the malformed text %j", (text) => {
  const found = [
    [...parseMeminfo(text)],
    parseDiskstats(text),
    parseNetDev(text),
    parseMounts(text),
    parseLoadavg(text) ?? [],
    parseProcessStat(text) === undefined ? [] : [1],
    [...parseStatus(text)],
  ];
  expect(found.flat()).toEqual([]);
  expect(parseStat(text).bootTime).toBeUndefined();
});

it("reads processor times and the start of the machine", () => {
  const { cpus, bootTime } = parseStat(
    "cpu  10 1 2 80 3 4 5 6 7 0\ncpu0 1 2 3\ncpufreq 9\nintr 1 2\nbtime 1700000000\nprocs_running 1\n",
  );
  expect(bootTime).toBe(1_700_000_000);
  expect([...cpus.keys()]).toEqual(["cpu-total", "cpu0"]);
  const total = { user: 10, nice: 1, system: 2, idle: 80, iowait: 3, irq: 4, softirq: 5, steal: 6, guest: 7 };
  expect(cpus.get("cpu-total")).toEqual(total);
  // Very old kernels write fewer columns into /proc/stat, as in the line cpu0 of this test. Missing columns are read as
  // 0.
  expect(cpus.get("cpu0")).toMatchObject({ user: 1, system: 3, idle: 0, guest: 0 });
});

it("reads memory in bytes", () => {
  const text = "MemTotal:       16 kB\nActive(anon):  2 kB\nHugePages_Total:       0\nVmallocTotal:   34359738367 kB\n";
  expect([...parseMeminfo(text)]).toEqual([
    ["MemTotal", 16_384],
    ["Active(anon)", 2048],
    ["VmallocTotal", 34_359_738_367 * 1024],
  ]);
});

it("reads disks, and distinguishes whole disks from partitions", () => {
  const row = (name: string) => ` 254 0 ${name} 10 1 20 30 40 2 50 60 0 70 80 0 0 0 0`;
  const names = ["sda", "sda1", "sda12", "nvme0n1", "nvme0n1p2", "mmcblk0", "mmcblk0p1", "vdb", "loop0", "dm-0", "sr0"];
  const disks = parseDiskstats(names.map(row).join("\n"));
  expect(disks.map(({ name }) => name)).toEqual(names);
  expect(disks[0]).toEqual({
    name: "sda",
    reads: 10,
    readBytes: 10_240,
    readMs: 30,
    writes: 40,
    writeBytes: 25_600,
    writeMs: 60,
    ioMs: 70,
  });
  expect(wholeDisks(disks).map(({ name }) => name)).toEqual(["sda", "nvme0n1", "mmcblk0", "vdb"]);
  expect(parseDiskstats(" 8 0 sda 1 2 x 4 5 6 7 8 9 10\n 8 0 sdb 1 2")).toEqual([]);
});

it("reads network interfaces, with names that hold colons", () => {
  const text =
    "Inter-|   Receive\n face |bytes\n  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\neth0:1:100 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\nbad: 1 2\n";
  expect(parseNetDev(text).map(({ name, counts }) => [name, counts.bytes_recv, counts.drop_out])).toEqual([
    ["eth0", 1, 12],
    ["eth0:1", 100, 12],
  ]);
});

it("keeps mounts with data of this machine, each device once", () => {
  const text = [
    "/dev/sda1 / ext4 rw 0 0",
    "/dev/sda1 /bind ext4 rw 0 0",
    "/dev/sdb1 /mnt/my\\040disk xfs rw 0 0",
    "proc /proc proc rw 0 0",
    "tmpfs /run tmpfs rw 0 0",
    "server:/export /nfs nfs4 rw 0 0",
    "me@host:/ /ssh fuse.sshfs rw 0 0",
    "overlay /var/lib/docker/overlay2/x/merged overlay rw 0 0",
    "tank/data /tank zfs rw 0 0",
    "none none swap sw 0 0",
  ];
  expect(parseMounts(text.join("\n")).map(({ path }) => path)).toEqual(["/", "/mnt/my disk", "/tank"]);
  expect(parseMounts("overlay / overlay rw 0 0")).toEqual([{ device: "overlay", path: "/", type: "overlay" }]);
});

describe("the parser of /proc/<pid>/stat", () => {
  const rest = "1 2 3 4 5 6 100 8 200 10 30 40 13 14 20 0 7 0 5000 8192 12 99";
  it.each([
    ["nginx", `77 (nginx) S ${rest}`],
    ["a b) R (c", `77 (a b) R (c) S ${rest}`],
    ["(sd-pam)", `77 ((sd-pam)) S ${rest}`],
    ["", `77 () S ${rest}`],
  ])("reads a process with the name %j", (name, text) => {
    expect(parseProcessStat(text)).toEqual({
      name,
      state: "S",
      ticks: 70,
      threads: 7,
      startTicks: 5000,
      virtualBytes: 8192,
      residentPages: 12,
      minorFaults: 100,
      majorFaults: 200,
    });
  });
  it.each(["77 (x) S 1 2 3", "77 x S", `77 (x) S ${rest.replace("5000", "five")}`])("not of %j", (text) => {
    expect(parseProcessStat(text)).toBeUndefined();
  });
});

it("reads the load and the status of a process", () => {
  expect(parseLoadavg("0.52 1.00 12.30 1/234 5678\n")).toEqual([0.52, 1, 12.3]);
  expect([...parseStatus("Name:\tx\nUid:\t0\t0\t0\t0\nbad\n")]).toEqual([
    ["Name", "x"],
    ["Uid", "0\t0\t0\t0"],
  ]);
});
