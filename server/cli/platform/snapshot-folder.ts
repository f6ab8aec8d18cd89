// Creates a snapshot of a store in a folder beside the store. The snapshot exists as long as a command uses it.

import { readdirSync, rmSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { takeSnapshot } from "../../store/segments/care/snapshot.ts";
import type { Manifest } from "../../store/segments/manifest.ts";
import type { Place } from "./place.ts";

/**
 * Makes a snapshot of the store and calls `work` with the snapshot. Removes the snapshot when `work` has ended, or when
 * a signal ends the process.
 */
export async function withSnapshot<Result>(
  { folder, points }: Place,
  work: (snapshot: string, manifest: Manifest) => Promise<Result>,
): Promise<Result> {
  removeOfEnded(folder);
  const snapshot = path.join(folder, `snapshot-${process.pid}`);
  const remove = () => rmSync(snapshot, { recursive: true, force: true });
  const end = () => {
    remove();
    process.exit(1);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
  await mkdir(snapshot, { mode: 0o700 });
  try {
    return await work(snapshot, await takeSnapshot(points, snapshot));
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeListener(signal, end);
    await rm(snapshot, { recursive: true, force: true });
  }
}

/**
 * Removes snapshots that other processes made and left behind when they ended. A snapshot contains hard links to
 * files of the store, so a file that the store has deleted takes space on the disk as long as the snapshot
 * exists.
 */
function removeOfEnded(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^snapshot-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
