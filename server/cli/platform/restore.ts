// `millrace platform restore DIR`: copies a backup into the data folder. No platform may use the data folder at the
// same time.

import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { sqliteFile } from "../../platform/metadata/database.ts";
import { lockFolder } from "../../queue/lock/lock.ts";
import { copySegments, copyState, stateOf, syncTree } from "../../store/segments/care/backup.ts";
import { checkStore } from "../../store/segments/care/check.ts";
import { syncFolder, writeManifest } from "../../store/segments/manifest.ts";
import { print, printLine } from "../terminal/print.ts";
import { platformRestoreUsage } from "../usage/platform.ts";
import { UsageError } from "../usage-error.ts";
import { type Place, placeOf, placeOptions, printFindings, progress, summary } from "./place.ts";

/** Runs the command and returns its exit code. */
export async function restore(args: string[]): Promise<number> {
  const options = {
    ...placeOptions,
    force: { type: "boolean", default: false },
    damaged: { type: "boolean", default: false },
  } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  if (values.help) {
    print(platformRestoreUsage);
    return 0;
  }
  const [given, ...more] = positionals;
  if (given === undefined || more.length > 0) throw new UsageError("name one folder: millrace platform restore DIR");
  const backup = path.resolve(given);
  const state = stateOf(backup);
  if (!existsSync(state)) throw new UsageError(`${backup} holds no backup`);
  const place = placeOf(values);
  const report = await checkStore({ state, root: backup }, progress("checked"));
  printFindings(report);
  if (typeof report.manifest === "string" || (report.findings.length > 0 && !values.damaged)) {
    printLine("the backup is damaged, nothing was changed; --damaged restores what is whole where its manifest is");
    return 1;
  }
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(place.folder);
  try {
    const replaced = await occupied(place, state);
    if (replaced.isNeeded && !values.force)
      throw new UsageError(`${place.folder} holds a store already; --force moves it aside`);
    const fresh = path.join(place.folder, "points.new");
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh, { mode: 0o700 });
    const { damaged } = await copySegments(backup, fresh, report.manifest.segments, progress("copied"));
    await copyState(state, fresh);
    const segments = report.manifest.segments.filter((entry) => !damaged.includes(entry));
    await writeManifest(fresh, { ...report.manifest, segments });
    await syncTree(fresh);
    await moveAside(place, replaced.names);
    for (const name of place.files)
      if (existsSync(path.join(state, name))) await copyFile(path.join(state, name), path.join(place.folder, name));
    await rename(fresh, place.points);
    await syncFolder(place.folder);
    printLine(`restored ${summary(report)}`);
    return report.findings.length === 0 ? 0 : 1;
  } finally {
    unlock();
  }
}

/** Returns the existing files that the restored backup would replace, and whether any of them contains data. */
async function occupied({ folder, points, files }: Place, state: string) {
  const names = [path.basename(points), ...files, `${sqliteFile}-wal`, `${sqliteFile}-shm`];
  const there = names.filter((name) => existsSync(path.join(folder, name)));
  const text = (file: string) => readFile(file, "utf8").catch(() => "");
  const isSameToken = (await text(path.join(folder, "token"))) === (await text(path.join(state, "token")));
  const store = existsSync(points) ? await checkStore({ state: points, root: points }) : undefined;
  const hasPoints = store !== undefined && store.segments + store.logPoints + store.findings.length > 0;
  return {
    names: there.filter((name) => name !== "token" || !isSameToken),
    isNeeded: hasPoints || there.includes(sqliteFile),
  };
}

async function moveAside({ folder }: Place, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const aside = path.join(folder, `replaced-${new Date().toISOString().replaceAll(":", "-")}`);
  await mkdir(aside, { mode: 0o700 });
  for (const name of names) await rename(path.join(folder, name), path.join(aside, name));
  printLine(`moved aside into ${aside}: ${names.join(", ")}`);
}
