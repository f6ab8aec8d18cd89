// A lock file keeps two processes out of one folder. A lock whose process is gone is taken over.

import { createHash, randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeFolder } from "../private-files.ts";
import { hasSign, putUpSign } from "./lock-sign.ts";

/** The folder is in use; `message` says by which process. */
export class FolderInUse extends Error {
  /** As of the system's errors: told without where it was thrown. */
  readonly code = "EBUSY";
}

const soonMs = 50;
const oldMs = 5000;

/** Gives the function that unlocks. */
export async function lockFolder(folder: string): Promise<() => void> {
  makeFolder(folder);
  const file = path.join(folder, "lock");
  await takeAway(file, folder);
  const name = `lock-${randomBytes(4).toString("hex")}`;
  const sign = await putUpSign(folder, name);
  const own = `${process.pid} ${startOf(process.pid)}${sign === undefined ? "" : ` ${name}`}\n`;
  const draft = `${path.join(folder, name)}.draft`;
  try {
    writeFileSync(draft, own, { mode: 0o600 });
    while (!isLinked(draft, file)) await takeAway(file, folder);
  } catch (error) {
    sign?.takeDown();
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (read(file) === own) rmSync(file, { force: true });
    sign?.takeDown();
  };
}

/** Unlike a rename a link never replaces, and unlike an exclusive create it is never seen empty. */
function isLinked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The same, but waits for a process that is about to end. */
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

/** Removes the lock, if there is one, of a process that is gone. */
async function takeAway(file: string, folder: string): Promise<void> {
  const text = read(file);
  if (text === undefined) return;
  const [pid, start = "", sign = ""] = text.trimEnd().split(" ");
  if (isAlive(Number(pid)) && startOf(Number(pid)) === start) {
    throw new FolderInUse(`process ${pid} already uses ${folder}; stop it, or choose another --data-dir`);
  }
  const isSign = /^lock-[\da-f]{8}$/.test(sign);
  if (isSign && (await hasSign(folder, sign))) {
    throw new FolderInUse(
      `a process of another container already uses ${folder} (${pid} there); stop it, or choose another --data-dir`,
    );
  }
  if (isSign) rmSync(path.join(folder, sign), { force: true });
  // Of those that find the same dead lock one has this name of it, and no other may remove it: it would be the next one's.
  const taken = `${file}.dead.${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  try {
    linkSync(file, taken);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    if (code !== "EEXIST") throw error;
    // Who had the name was killed, too.
    if (isOld(taken)) rmSync(taken, { force: true });
    await wait(soonMs / 10);
    return;
  }
  if (read(taken) === text) rmSync(file, { force: true });
  rmSync(taken, { force: true });
}

/** It got its name longer ago than removing a file takes. */
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
