// A lock file prevents two processes from using the same folder. A process may take over the lock of a process that has
// ended.

import { createHash, randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeFolder } from "../private-files.ts";
import { isLockSocketAlive, openLockSocket } from "./lock-socket.ts";

/** Thrown when another process has locked the folder. The message names that process. */
export class FolderInUse extends Error {
  /**
   * The code of an operating-system error. The command line prints only the message of an error with such a code, no
   * stack.
   */
  readonly code = "EBUSY";
}

const soonMs = 50;
const oldMs = 5000;

/**
 * Locks the folder, and makes the folder when it is missing. Returns the function that unlocks it. Throws FolderInUse,
 * or the error of the file system.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  makeFolder(folder);
  const file = path.join(folder, "lock");
  await takeAway(file, folder);
  const name = `lock-${randomBytes(4).toString("hex")}`;
  const sign = await openLockSocket(folder, name);
  const own = `${process.pid} ${startOf(process.pid)}${sign === undefined ? "" : ` ${name}`}\n`;
  const draft = `${path.join(folder, name)}.draft`;
  try {
    writeFileSync(draft, own, { mode: 0o600 });
    while (!isLinked(draft, file)) await takeAway(file, folder);
  } catch (error) {
    sign?.close();
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (read(file) === own) rmSync(file, { force: true });
    sign?.close();
  };
}

/**
 * Makes a hard link to the complete file `draft` under the name of the lock file. Returns false when there already is a
 * lock file. A rename would replace that file. Creating the lock file directly would show an empty file to other
 * processes for a moment.
 */
function isLinked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Locks the folder. Waits up to `ms` milliseconds for another process to unlock it. */
export async function lockFolderSoon(folder: string, ms = 5000): Promise<() => void> {
  for (const until = performance.now() + ms; ; ) {
    try {
      return await lockFolder(folder);
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() >= until) throw error;
      await wait(soonMs);
    }
  }
}

/** Removes the lock file of a process that has ended, if there is one. Throws FolderInUse when the process is alive. */
async function takeAway(file: string, folder: string): Promise<void> {
  const text = read(file);
  if (text === undefined) return;
  const [pid, start = "", sign = ""] = text.trimEnd().split(" ");
  if (isAlive(Number(pid)) && startOf(Number(pid)) === start) {
    throw new FolderInUse(`process ${pid} already uses ${folder}; stop it, or choose another --data-dir`);
  }
  const isSign = /^lock-[\da-f]{8}$/.test(sign);
  if (isSign && (await isLockSocketAlive(folder, sign))) {
    throw new FolderInUse(
      `a process of another container already uses ${folder} (${pid} there); stop it, or choose another --data-dir`,
    );
  }
  if (isSign) rmSync(path.join(folder, sign), { force: true });
  // Several processes may find the same stale lock. Only one of them succeeds in making this hard link, and only this
  // one may remove the lock file. Otherwise another process could remove the file that the next holder of the lock has
  // just made.
  const taken = `${file}.dead.${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  try {
    linkSync(file, taken);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    if (code !== "EEXIST") throw error;
    // Another process has already made the hard link that reserves the removal of the stale lock file. Either that
    // process is removing the lock file, or it was killed before it could remove the link. An old link, which a killed
    // process has left, is removed here.
    if (isOld(taken)) rmSync(taken, { force: true });
    await wait(soonMs / 10);
    return;
  }
  if (read(taken) === text) rmSync(file, { force: true });
  rmSync(taken, { force: true });
}

/** Returns whether a hard link that reserves the removal of a lock file is so old that the removal must have ended. */
function isOld(file: string): boolean {
  const named = statSync(file, { throwIfNoEntry: false })?.ctimeMs;
  return named !== undefined && Date.now() - named > oldMs;
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
 * Returns the time when a process began, in ticks since boot; an empty string when the system does not tell it. Process
 * ids are reused, so only id and time together identify a process. Returns "ended" for a zombie (a process that has
 * ended, but whose parent has not collected its exit status), because a zombie holds no lock, however long it stays.
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
