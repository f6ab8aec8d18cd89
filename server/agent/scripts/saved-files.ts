// Saves scripts as files in the folder of their category, and can restore the version before the last save. Each file
// is replaced atomically, and only its owner may read it.
//
// The version that the last save replaced is kept beside the script `nginx.p`, in the file `nginx.p.previous`. When the
// last save created the script, the empty file `nginx.p.absent` is kept instead. The code that loads scripts
// (scripts.ts) reads neither of these two files, since their names do not end with `.p`.

import { randomUUID } from "node:crypto";
import { lstat, open, readFile, realpath, rename, unlink } from "node:fs/promises";
import path from "node:path";
import type { CategoryName } from "../../../lib/point/index.ts";
import { makeFolder, privateFileMode, privateFolderMode } from "../../queue/private-files.ts";

/** Thrown when a file may not be replaced. The message says why; nothing was written. */
export class NotSaved extends Error {}

export interface SavedFile {
  readonly category: CategoryName;
  /**
   * File name of the script, such as `nginx.p`. The name must be valid, which means that `nameFault` (script-names.ts)
   * returns undefined for it.
   */
  readonly name: string;
}

export interface SavedFiles {
  /**
   * Returns the text of the script's file; null when there is none. Throws NotSaved when the file may not be replaced.
   */
  read(file: SavedFile): Promise<string | null>;
  /**
   * Returns the version that a call of `goBack` would restore: its text, or null when `goBack` would remove the file.
   * Returns undefined when there is no version to restore.
   */
  previous(file: SavedFile): Promise<{ readonly text: string | null } | undefined>;
  /**
   * Replaces the text of the file. Keeps the replaced version, so that `goBack` can restore it. Does nothing when
   * the text has not changed. Throws NotSaved.
   */
  save(file: SavedFile, text: string): Promise<void>;
  /**
   * Exchanges the text of the file with the version that the last save replaced. So a second call undoes the first one.
   * Throws NotSaved when there is no such version.
   */
  goBack(file: SavedFile): Promise<void>;
}

/**
 * Creates the store of saved scripts. `root`: the folder that contains one folder for each category. The folders
 * are created when a script is saved.
 */
export function createSavedFiles(root: string): SavedFiles {
  const pathsOf = ({ category, name }: SavedFile) => {
    const file = path.join(root, category, name);
    return { folder: path.join(root, category), file, previous: `${file}.previous`, absent: `${file}.absent` };
  };

  const read = async (file: SavedFile) =>
    (await textOf(pathsOf(file).file)) ??
    // A script for logs need not lie in the folder of its category. Its file may also lie in the folder that contains
    // the folders of all categories.
    (file.category === "logging" ? await textOf(path.join(root, file.name)) : null);

  const previous = async (file: SavedFile) => {
    const paths = pathsOf(file);
    if ((await textOf(paths.absent)) !== null) return { text: null };
    const text = await textOf(paths.previous);
    return text === null ? undefined : { text };
  };

  return {
    read,
    previous,
    save: async (file, text) => {
      const { folder, file: target, previous: kept, absent } = pathsOf(file);
      await openFolder(root, folder);
      const old = await textOf(target);
      if (old === text) return;
      if (old === null) {
        await replace(folder, absent, "");
        await remove(kept);
      } else {
        await replace(folder, kept, old);
        await remove(absent);
      }
      await replace(folder, target, text);
    },
    goBack: async (file) => {
      const { folder, file: target, previous: kept, absent } = pathsOf(file);
      const before = await previous(file);
      const old = await textOf(target);
      if (before === undefined || before.text === old) throw new NotSaved("there is no version to go back to");
      await openFolder(root, folder);
      // Before the present version is replaced, it is copied to the disk under another name. So a crash loses neither
      // version.
      const present = old === null ? undefined : await stage(folder, old);
      if (before.text === null) await remove(target);
      else await replace(folder, target, before.text);
      if (present === undefined) {
        await replace(folder, absent, "");
        await remove(kept);
      } else {
        await rename(present, kept);
        await remove(absent);
      }
    },
  };
}

/**
 * Creates the folder for the scripts of a category. Throws NotSaved when the folder is a symbolic link, since scripts
 * could then be written outside of the folder `root`.
 */
async function openFolder(root: string, folder: string): Promise<void> {
  makeFolder(folder, privateFolderMode);
  const own = path.join(await realpath(root), path.basename(folder));
  if ((await realpath(folder)) !== own) throw new NotSaved(`the folder ${path.basename(folder)} is a symbolic link`);
}

/** Returns the text of a file; null when there is none. Throws NotSaved when the path is not a regular file. */
async function textOf(file: string): Promise<string | null> {
  try {
    if (!(await lstat(file)).isFile()) throw new NotSaved(`${path.basename(file)} is no plain file`);
    return await readFile(file, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

/**
 * Writes the text to a new file in the folder of the scripts and syncs it to the disk. Returns the path of the file.
 */
async function stage(folder: string, text: string): Promise<string> {
  const file = path.join(folder, `.${randomUUID()}.new`);
  // With the flag `wx`, opening a file follows no link: it fails when a file or link of the same name exists.
  const handle = await open(file, "wx", privateFileMode);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await remove(file);
    throw error;
  } finally {
    await handle.close();
  }
  return file;
}

async function replace(folder: string, target: string, text: string): Promise<void> {
  const file = await stage(folder, text);
  try {
    await rename(file, target);
  } catch (error) {
    await remove(file);
    throw error;
  }
}

async function remove(file: string): Promise<void> {
  await unlink(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}
