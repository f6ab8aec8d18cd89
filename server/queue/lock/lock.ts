// Locks a folder with a lock file, so that two processes never use the folder at the same time. When the process
// that holds the lock has ended, another process may take over the lock.

import { createHash, randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeFolder } from "../private-files.ts";
import { isLockSocketAlive, openLockSocket } from "./lock-socket.ts";

/** Thrown when another process has locked the folder. The message names that process. */
export class FolderInUse extends Error {
  /**
   * An error code of the operating system. For an error with such a code, the command line prints only the message
   * and no stack trace.
   */
  readonly code = "EBUSY";
}

const soonMs = 50;
const oldMs = 5000;

/**
 * Locks the folder; creates the folder if it is missing. Returns a function that unlocks it. Throws FolderInUse
 * or an error of the file system.
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
 * Gives the complete file `draft` the name of the lock file, by a hard link. Returns false when a lock file
 * exists already. A rename is not used, because it would replace an existing lock file. The lock file is not
 * written directly either, because other processes would see an empty file for a moment.
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

/**
 * Locks the folder. If another process has locked it, waits up to `ms` milliseconds until that process unlocks
 * it.
 */
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

/**
 * Removes the lock file if the process that wrote it has ended. Does nothing when there is no lock file. Throws
 * FolderInUse when the process is alive.
 */
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
  // Several processes may find the same lock file of an ended process. Only one of them succeeds in creating this
  // hard link, and only this one may remove the lock file. Otherwise a slower process could remove the new lock
  // file of the process that has just taken over the lock.
  const taken = `${file}.dead.${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  try {
    linkSync(file, taken);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    if (code !== "EEXIST") throw error;
    // Another process has already created the hard link that reserves the removal of the lock file. Either that
    // process is now removing the lock file, or it was killed before it could remove its link. If the link is old,
    // its process was killed, so the link is removed here.
    if (isOld(taken)) rmSync(taken, { force: true });
    await wait(soonMs / 10);
    return;
  }
  if (read(taken) === text) rmSync(file, { force: true });
  rmSync(taken, { force: true });
}

/**
 * Returns whether a hard link that reserves the removal of a lock file is old. A process needs the link only for
 * a moment, so the process of an old link has ended.
 */
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
 * Returns the time when a process began, in ticks since the machine was booted. Returns an empty string when the
 * system does not provide it. Process ids are reused, so only the id and the time together identify a process.
 * Returns "ended" for a zombie (a process that has ended, but whose parent has not fetched its exit status),
 * because a zombie holds no lock, however long it exists.
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
