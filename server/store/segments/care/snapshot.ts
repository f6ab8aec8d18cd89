// Takes a consistent snapshot of a points store while a process may write to the store. The snapshot consists of hard
// links to the store's segments and a copy of its log. Files of a store never change, except the newest part of the
// log, which grows. The links form a consistent snapshot if the manifest (the list of files) was the same before the
// first link and after the last one, because then no part of the log was packed and removed in between. Linking takes
// milliseconds; if the manifest was replaced, all links are made again. Linked parts of the log stay whole even if the
// process removes them, and are copied afterwards. Each point is either in a segment of the manifest or in one of its
// log parts, never in both.

import { copyFile, cp, link, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { copyDatabase } from "../../sqlite-file.ts";
import { logFolder } from "../log.ts";
import { type Manifest, readManifest, writeManifest } from "../manifest.ts";
import { segmentPaths } from "../segment.ts";

const attempts = 100;

/** Thrown when the store cannot be copied in its present state. `message` says why. */
export class SnapshotRefused extends Error {}

/**
 * Makes a snapshot of the store in the empty folder `to`, on the same file system. The Parquet files of the snapshot
 * are hard links and must not be written to. Files that the store has lost are missing in the snapshot too. Throws
 * SnapshotRefused when the store cannot be copied, and LaterFormat when a later version of Millrace has written the
 * store.
 */
export async function takeSnapshot(root: string, to: string): Promise<Manifest> {
  for (let attempt = 1; ; attempt++) {
    const manifest = await linked(root, to);
    if (manifest !== undefined) {
      await copyLogs(to, manifest);
      await writeManifest(to, manifest);
      return manifest;
    }
    if (attempt === attempts)
      throw new Error(`the manifest of the store was replaced ${attempts} times while its files were linked`);
    for (const name of await readdir(to)) await rm(path.join(to, name), { recursive: true, force: true });
  }
}

/** Makes the hard links. Returns undefined when the store was changed during the linking. */
async function linked(root: string, to: string): Promise<Manifest | undefined> {
  const manifest = await readManifest(root);
  if (typeof manifest === "string")
    throw new SnapshotRefused(`manifest.json of the store is ${manifest}; run millrace platform repair`);
  if (manifest.upgraded !== undefined)
    throw new SnapshotRefused("the store is being upgraded from an earlier version; try again when that has ended");
  // The counts of acknowledged points are copied before the log, because they must not include points that the copied
  // log does not have.
  await unlessGone(copyFile(path.join(root, "acknowledged"), path.join(to, "acknowledged")));
  const folders = new Set<string>();
  for (const entry of manifest.segments) {
    const [from, target] = [segmentPaths(root, entry), segmentPaths(to, entry)];
    const folder = path.dirname(target.parquet);
    if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 });
    folders.add(folder);
    await linkOrCopy(from.parquet, target.parquet);
    await unlessGone(copyFile(from.keys, target.keys));
  }
  for (const number of manifest.logs) await linkPart(logFolder(root, number), linksOf(to, number));
  // The registry, which holds the ids of batches, is copied after the manifest. So it contains the ids of all batches
  // whose points are in the manifest's segments.
  const registry = path.join(root, "registry.sqlite");
  const after = await readManifest(root);
  const isSame = typeof after !== "string" && JSON.stringify(after) === JSON.stringify(manifest);
  if (!isSame) return undefined;
  try {
    copyDatabase(registry, path.join(to, "registry.sqlite"));
  } catch (error) {
    throw new SnapshotRefused(
      `registry.sqlite of the store: ${(error as Error).message}; run millrace platform repair`,
    );
  }
  return manifest;
}

/**
 * Links the `.seg` files of a log part. The mark file, which says how much each `.seg` file contains, is copied
 * before the `.seg` files are linked, because these may still grow. If the mark file counted more than the
 * linked files contain, these files would seem damaged.
 */
async function linkPart(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const names = (await readdir(from).catch(() => [])).sort();
  for (const name of names.filter((each) => !each.endsWith(".seg")))
    await unlessGone(cp(path.join(from, name), path.join(to, name), { recursive: true }));
  for (const name of names.filter((each) => each.endsWith(".seg")))
    await linkOrCopy(path.join(from, name), path.join(to, name));
}

/**
 * Replaces the hard links to files of the log by copies, because the process that uses the store still writes to the
 * newest log part.
 */
async function copyLogs(to: string, { logs }: Manifest): Promise<void> {
  await mkdir(path.join(to, "log"), { recursive: true, mode: 0o700 });
  for (const number of logs) await cp(linksOf(to, number), logFolder(to, number), { recursive: true });
  await rm(path.join(to, "links"), { recursive: true, force: true });
}

function linksOf(to: string, number: number): string {
  return path.join(to, "links", String(number));
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    // Some file systems have no hard links or limit their number; then the file is copied.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EMLINK" && code !== "EXDEV") throw error;
    await unlessGone(copyFile(from, to));
  }
}

async function unlessGone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
