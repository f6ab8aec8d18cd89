// Reads the processes of this machine from /proc, up to a largest number. The processor use of a process is the
// difference between its processor times in two readings.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ProcessStat, parseProcessStat, parseStatus } from "./proc-files.ts";

/** Ticks in a second. Linux shows times to programs in this unit. */
export const ticksPerSecond = 100;
/**
 * Number of processes that are read without a pause. After a pause, in which other tasks may use the thread,
 * reading continues.
 */
const inARow = 50;
/** Largest length of a command line, in characters. A longer command line is cut. */
const longestCommand = 4096;

export interface ReadProcess extends ProcessStat {
  readonly pid: number;
  /** Processor time since the last reading, in percent of one processor; undefined at the first reading. */
  readonly recentCpu: number | undefined;
}

export interface Processes {
  readonly all: readonly ReadProcess[];
  /** Number of processes that were not read, because the largest number of processes to read was reached. */
  readonly skipped: number;
}

export class ProcessReader {
  private readonly proc: string;
  private last = new Map<string, { readonly ticks: number; readonly at: number }>();

  constructor(proc: string) {
    this.proc = proc;
  }

  /** Reads at most `most` processes. Throws when the folder of /proc cannot be read. */
  async read(most: number): Promise<Processes> {
    const pids = readdirSync(this.proc).filter((name) => /^\d+$/.test(name));
    const all: ReadProcess[] = [];
    const seen: typeof this.last = new Map();
    for (const [at, pid] of pids.slice(0, most).entries()) {
      if (at % inARow === inARow - 1) await nextTurn();
      const stat = parseProcessStat(textOf(path.join(this.proc, pid, "stat"), "utf8"));
      if (stat === undefined) continue;
      const now = performance.now();
      // Linux reuses process numbers. So the key under which a process is remembered also contains the time at which
      // the process was started.
      const key = `${pid} ${stat.startTicks}`;
      const before = this.last.get(key);
      seen.set(key, { ticks: stat.ticks, at: now });
      const recentCpu =
        before === undefined || now <= before.at
          ? undefined
          : (Math.max(0, stat.ticks - before.ticks) / ticksPerSecond / ((now - before.at) / 1000)) * 100;
      all.push({ ...stat, pid: Number(pid), recentCpu });
    }
    this.last = seen;
    return { all, skipped: Math.max(0, pids.length - most) };
  }

  /**
   * Reads and returns further details of a process. To save work, the input calls this method only for the
   * processes that become points.
   */
  details(pid: number) {
    const folder = path.join(this.proc, String(pid));
    const status = parseStatus(textOf(path.join(folder, "status"), "utf8"));
    const number = (name: string) => {
      const text = status.get(name) ?? "";
      return /^\d{1,18}$/.test(text) ? BigInt(text) : undefined;
    };
    const words = textOf(path.join(folder, "cmdline"), "utf8").slice(0, longestCommand).split("\0");
    return {
      command: words.join(" ").trim(),
      userId: status.get("Uid")?.split("\t")[0] ?? "",
      voluntarySwitches: number("voluntary_ctxt_switches"),
      otherSwitches: number("nonvoluntary_ctxt_switches"),
      folder: linkOf(path.join(folder, "cwd")),
    };
  }
}

/**
 * Returns the text of a file in the folder that /proc has for a process. Returns an empty text when the file
 * cannot be read, because the process has ended or belongs to another user.
 */
function textOf(file: string, encoding: "utf8" | "latin1"): string {
  try {
    return readFileSync(file, encoding);
  } catch {
    return "";
  }
}

function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
}

/** Reads a file such as /etc/passwd. Returns a map from the number of each user to the user's name. */
export function userNames(file: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(textOf(file, "utf8").matchAll(/^([^:\n]+):[^:\n]*:(\d+):/gm), ([, name, id]) => [id!, name!]),
  );
}

/** Returns the size of a memory page in bytes. */
export function pageBytes(): number {
  const kilobytes = /^KernelPageSize:\s+(\d+) kB$/m.exec(textOf("/proc/self/smaps", "latin1"))?.[1];
  return kilobytes === undefined ? 4096 : Number(kilobytes) * 1024;
}
