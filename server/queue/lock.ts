// A lock file keeps two processes out of one folder. A lock whose process is gone is taken over.

import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The folder is in use; `message` says by which process. */
export class FolderInUse extends Error {
  /** As of the system's errors: told without where it was thrown. */
  readonly code = "EBUSY";
}

const soonMs = 50;

/** Gives the function that unlocks. */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, "lock");
  const own = `${process.pid} ${startOf(process.pid)}\n`;
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, own, { mode: 0o600 });
  try {
    for (;;) {
      try {
        // Unlike a rename a link never replaces, and unlike an exclusive create it is never seen empty.
        linkSync(draft, file);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
        takeAway(file, folder);
      }
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (read(file) === own) rmSync(file, { force: true });
  };
}

/** The same, but waits for a process that is about to end. */
export async function lockFolderSoon(folder: string, ms = 5000): Promise<() => void> {
  for (const until = performance.now() + ms; ; ) {
    try {
      return lockFolder(folder);
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() >= until) throw error;
      await wait(soonMs);
    }
  }
}

/** Removes the lock of a process that is gone. */
function takeAway(file: string, folder: string): void {
  const text = read(file);
  if (text === undefined) return;
  const [pid, start] = text.trim().split(" ");
  if (isAlive(Number(pid)) && startOf(Number(pid)) === (start ?? "")) {
    throw new FolderInUse(`process ${pid} already uses ${folder}; stop it, or choose another --data-dir`);
  }
  // Two that find the same dead lock: one rename succeeds, and what it took is looked at again.
  const taken = `${file}.dead.${process.pid}`;
  try {
    renameSync(file, taken);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return;
  }
  const isOther = read(taken) !== text;
  if (isOther) {
    try {
      linkSync(taken, file);
    } catch {}
  }
  rmSync(taken, { force: true });
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * When the process began, in ticks since boot, where the system tells; numbers of processes are used again. One that has ended and whose
 * parent has not looked (a zombie) holds nothing any more, however long that takes.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "ended" : fields[19];
  } catch {
    return "";
  }
}
