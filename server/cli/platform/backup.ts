// `millrace platform backup DIR`: copies the points store, the metadata and the token. The platform may run at the same
// time.

import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { backUp } from "../../store/segments/care/backup.ts";
import { copyDatabase } from "../../store/sqlite-file.ts";
import { counted } from "../terminal/counted.ts";
import { print, printLine } from "../terminal/print.ts";
import { platformBackupUsage } from "../usage/platform.ts";
import { UsageError } from "../usage-error.ts";
import { type Place, placeOfStore, placeOptions, progress, sizeText } from "./place.ts";
import { withSnapshot } from "./snapshot-folder.ts";

/** Runs the command and returns its exit code. */
export async function backup(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: placeOptions });
  if (values.help) {
    print(platformBackupUsage);
    return 0;
  }
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError("name one folder: millrace platform backup DIR");
  const place = placeOfStore(values);
  const to = path.resolve(folder);
  await prepare(place, to);
  const result = await withSnapshot(place, (snapshot, manifest) =>
    backUp(snapshot, manifest, to, { more: (state) => copyFiles(place, state), progress: progress("copied") }),
  );
  for (const { id, folder: lost, rows } of result.damaged)
    printLine(
      `segments/${lost}/${id}.parquet is damaged and not in the backup (${counted(rows, "point")}); run millrace platform repair`,
    );
  const { segments } = result.manifest;
  const points = segments.reduce((sum, { rows }) => sum + rows, 0);
  printLine(
    `${to} holds ${counted(segments.length, "segment")} with ${counted(points, "point")} and the log: ${result.copied} copied (${sizeText(result.bytes)}), ${result.kept} were there`,
  );
  return result.damaged.length === 0 ? 0 : 1;
}

/**
 * Creates the folder of the backup. Throws UsageError for a folder that contains other files, because a backup deletes
 * all files in its folder that do not belong to it.
 */
async function prepare({ folder }: Place, to: string): Promise<void> {
  if (`${to}/`.startsWith(`${folder}/`)) throw new UsageError(`${to} lies in the folder of the store itself`);
  await mkdir(to, { recursive: true, mode: 0o700 });
  const other = (await readdir(to)).find((name) => !["segments", "state", "state.new", "state.old"].includes(name));
  if (other !== undefined)
    throw new UsageError(`${to} is no folder of backups: it holds ${JSON.stringify(other.slice(0, 100))}`);
}

/** Copies the files of the platform that do not belong to the points store. */
async function copyFiles({ folder, files }: Place, state: string): Promise<void> {
  for (const name of files) {
    const [from, copy] = [path.join(folder, name), path.join(state, name)];
    if (!existsSync(from)) continue;
    if (name.endsWith(".sqlite")) copyDatabase(from, copy);
    else await copyFile(from, copy);
    await chmod(copy, 0o600);
  }
}
