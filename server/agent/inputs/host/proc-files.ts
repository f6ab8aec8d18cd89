// Parses files of /proc (https://docs.kernel.org/filesystems/proc.html). Lines without the expected form are skipped.

/** The time that a processor has spent in each state (such as `user` or `idle`), in ticks. */
export type CpuTimes = Readonly<Record<(typeof cpuStates)[number], number>>;

export const cpuStates = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest"] as const;

export interface Stat {
  /** Times of each processor by its name; `cpu-total` has the sums over all processors. */
  readonly cpus: ReadonlyMap<string, CpuTimes>;
  /** Time at which the machine was started, in seconds since 1970. */
  readonly bootTime: number | undefined;
}

export function parseStat(text: string): Stat {
  const cpus = new Map<string, CpuTimes>();
  let bootTime: number | undefined;
  for (const line of text.split("\n")) {
    const [key, ...cells] = line.trim().split(/\s+/);
    if (/^cpu\d*$/.test(key!)) {
      const times = cpuStates.map((state, at) => [state, wholeOf(cells[at]) ?? 0] as const);
      cpus.set(key === "cpu" ? "cpu-total" : key!, Object.fromEntries(times) as CpuTimes);
    } else if (key === "btime") bootTime = wholeOf(cells[0]);
  }
  return { cpus, bootTime };
}

/** Returns the amounts of memory in bytes, by their names in /proc/meminfo. */
export function parseMeminfo(text: string): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  for (const [, name, kilobytes] of text.matchAll(/^([\w()]+):\s+(\d{1,15}) kB$/gm))
    amounts.set(name!, Number(kilobytes) * 1024);
  return amounts;
}

export interface DiskIo {
  readonly name: string;
  readonly reads: number;
  readonly readBytes: number;
  readonly readMs: number;
  readonly writes: number;
  readonly writeBytes: number;
  readonly writeMs: number;
  readonly ioMs: number;
}

/** Linux counts sectors of this size in /proc/diskstats, whatever sector size the device has. */
const sectorBytes = 512;

export function parseDiskstats(text: string): readonly DiskIo[] {
  return text.split("\n").flatMap((line) => {
    const [, , name, ...cells] = line.trim().split(/\s+/);
    const numbers = cells.map(wholeOf);
    const [reads, , sectorsRead, readMs, writes, , sectorsWritten, writeMs, , ioMs] = numbers;
    if (name === undefined || numbers.slice(0, 10).includes(undefined) || numbers.length < 10) return [];
    return [
      {
        name,
        reads: reads!,
        readBytes: sectorsRead! * sectorBytes,
        readMs: readMs!,
        writes: writes!,
        writeBytes: sectorsWritten! * sectorBytes,
        writeMs: writeMs!,
        ioMs: ioMs!,
      },
    ];
  });
}

/**
 * Returns the disks. Leaves out partitions, memory and loop devices, CD and floppy drives, and devices that are made of
 * other disks (RAID, LVM).
 */
export function wholeDisks(disks: readonly DiskIo[]): readonly DiskIo[] {
  const names = new Set(disks.map(({ name }) => name));
  return disks.filter(({ name }) => {
    const whole = /^(.*\d)p\d+$/.exec(name)?.[1] ?? /^(.*\D)\d+$/.exec(name)?.[1];
    return !/^(?:loop|ram|zram|dm-|md|sr|fd)\d/.test(name) && !(whole !== undefined && names.has(whole));
  });
}

export interface NetDevice {
  readonly name: string;
  readonly counts: Readonly<Record<(typeof netCounts)[number][0], number>>;
}

/** The counts of a network interface: the name of each count, and its column in /proc/net/dev. */
export const netCounts = [
  ["bytes_recv", 0],
  ["packets_recv", 1],
  ["err_in", 2],
  ["drop_in", 3],
  ["bytes_sent", 8],
  ["packets_sent", 9],
  ["err_out", 10],
  ["drop_out", 11],
] as const;

export function parseNetDev(text: string): readonly NetDevice[] {
  return text.split("\n").flatMap((line) => {
    const colon = line.lastIndexOf(":");
    const cells = line
      .slice(colon + 1)
      .trim()
      .split(/\s+/)
      .map(wholeOf);
    if (colon < 0 || cells.length < 12 || cells.includes(undefined)) return [];
    const counts = Object.fromEntries(netCounts.map(([name, at]) => [name, cells[at]!])) as NetDevice["counts"];
    return [{ name: line.slice(0, colon).trim(), counts }];
  });
}

export interface Mount {
  readonly device: string;
  readonly path: string;
  readonly type: string;
}

/**
 * Types of file systems that are skipped, because they store no data on this machine. Some of them are served by
 * another machine or program, which may not answer at all.
 */
const skippedTypes =
  /^(?:autofs|bpf|binfmt_misc|cgroup2?|cifs|configfs|debugfs|devpts|devtmpfs|efivarfs|fuse|fuse\..*|fusectl|hugetlbfs|mqueue|nfs4?|nfsd|nsfs|9p|proc|pstore|ramfs|rpc_pipefs|securityfs|selinuxfs|smb3?|squashfs|iso9660|sysfs|tmpfs|tracefs|virtiofs)$/;

/** Returns the mounts that store data on this machine. A device that is mounted several times is returned once. */
export function parseMounts(text: string): readonly Mount[] {
  const devices = new Set<string>();
  return text.split("\n").flatMap((line) => {
    const [device = "", path = "", type = ""] = line.split(" ").map(unescaped);
    // In a container the root is an overlay mount. Other overlay mounts are layers of containers, so they are skipped.
    if (!path.startsWith("/") || skippedTypes.test(type) || (type === "overlay" && path !== "/")) return [];
    if (devices.has(device)) return [];
    devices.add(device);
    return [{ device, path, type }];
  });
}

/** Decodes octal escapes, such as `\040` for a blank. */
const unescaped = (cell: string) =>
  cell.replace(/\\([0-7]{3})/g, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 8) & 0xff));

/** Returns the load averages over 1, 5 and 15 minutes; undefined when the text has another form. */
export function parseLoadavg(text: string): readonly [number, number, number] | undefined {
  const cells = /^(\d+\.\d+) (\d+\.\d+) (\d+\.\d+) /.exec(text);
  return cells === null ? undefined : [Number(cells[1]), Number(cells[2]), Number(cells[3])];
}

export interface ProcessStat {
  readonly name: string;
  /** The letter that Linux uses for the state of the process. */
  readonly state: string;
  /** Processor time that the process has used, in ticks. */
  readonly ticks: number;
  readonly threads: number;
  /** When the process was started, in ticks since the start of the machine. */
  readonly startTicks: number;
  readonly virtualBytes: number;
  readonly residentPages: number;
  readonly minorFaults: number;
  readonly majorFaults: number;
}

/** Parses /proc/<pid>/stat. The process name in parentheses may itself contain any character, even parentheses. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const [open, close] = [text.indexOf("("), text.lastIndexOf(")")];
  if (open < 0 || close < open) return undefined;
  const [state = "", ...cells] = text
    .slice(close + 1)
    .trim()
    .split(/\s+/);
  // In the manual page proc_pid_stat(5), the process name is field 2 and the state is field 3. The array `cells` holds
  // the fields after the state, so `cells[0]` is field 4.
  const field = (number: number) => Number(cells[number - 4]);
  const stat = {
    name: text.slice(open + 1, close),
    state,
    ticks: field(14) + field(15),
    threads: field(20),
    startTicks: field(22),
    virtualBytes: field(23),
    residentPages: field(24),
    minorFaults: field(10),
    majorFaults: field(12),
  };
  return Object.values(stat).some((value) => typeof value === "number" && !Number.isFinite(value)) ? undefined : stat;
}

/** Returns the values in /proc/<pid>/status, by the name of each value. */
export function parseStatus(text: string): ReadonlyMap<string, string> {
  return new Map(Array.from(text.matchAll(/^(\w+):\t(.*)$/gm), ([, name, value]) => [name!, value!]));
}

function wholeOf(cell: string | undefined): number | undefined {
  return cell !== undefined && /^\d{1,20}$/.test(cell) ? Number(cell) : undefined;
}
