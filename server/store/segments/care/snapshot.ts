// A consistent view of a points store at one moment, taken while a process may write to it: hard links to its segments, and a copy of its log.
//
// The files of a store are never changed, but for the newest part of the log, which grows. So the links of one moment are a snapshot when the
// manifest was in force from before the first link to behind the last one: until then no part of the log was packed and removed. Links take
// milliseconds; when the manifest was replaced meanwhile, the links are made again. Parts of the log that are linked stay whole, whatever the
// process removes, and are copied at leisure. A point is in a segment of the manifest or in one of its parts of the log, never in both.

import { copyFile, cp, link, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { copyDatabase } from "../../sqlite-file.ts";
import { logFolder } from "../log.ts";
import { type Manifest, readManifest, writeManifest } from "../manifest.ts";
import { segmentPaths } from "../segment.ts";

const attempts = 100;

/** The store cannot be copied as it is; `message` says why. */
export class SnapshotRefused extends Error {}

/**
 * Makes a store in the empty folder `to`, which must be on the file system of the store. Parquet files in it are links: they must not be written.
 * Files that the store has lost are missing there, too. Throws SnapshotRefused and LaterFormat.
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

/** Undefined when the store was changed meanwhile. */
async function linked(root: string, to: string): Promise<Manifest | undefined> {
  const manifest = await readManifest(root);
  if (typeof manifest === "string")
    throw new SnapshotRefused(`manifest.json of the store is ${manifest}; run millrace platform repair`);
  if (manifest.upgraded !== undefined)
    throw new SnapshotRefused("the store is being upgraded from an earlier version; try again when that has ended");
  // Before the log: the counts must not be ahead of it.
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
  // Behind the manifest: it has the ids of all batches that are in its segments.
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

/** The mark of the part first: it must not be ahead of the segments. */
async function linkPart(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const names = (await readdir(from).catch(() => [])).sort();
  for (const name of names.filter((each) => !each.endsWith(".seg")))
    await unlessGone(cp(path.join(from, name), path.join(to, name), { recursive: true }));
  for (const name of names.filter((each) => each.endsWith(".seg")))
    await linkOrCopy(path.join(from, name), path.join(to, name));
}

/** Replaces links by copies: the process goes on writing to the newest part. */
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
    // File systems without links, and limits on the links of one file.
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EMLINK" && code !== "EXDEV") throw error;
    await unlessGone(copyFile(from, to));
  }
}

async function unlessGone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
