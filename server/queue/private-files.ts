// Creates folders and files that only their owner may read, whatever the umask of the process is. Earlier
// versions of Millrace created them with wider access rights, so the rights are narrowed whenever a folder or
// file is opened.

import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import path from "node:path";

export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

/**
 * Creates the folder and its missing parents. Throws the system's error for the first folder that cannot be created.
 * Does not use Node's option `recursive`, which never returns when an existing parent does not allow new folders, as in
 * /proc.
 */
export function makeFolder(folder: string, mode?: number): void {
  const parent = path.dirname(folder);
  if (parent !== folder && !existsSync(folder) && !existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(folder).isDirectory()) throw error;
  }
}

export function makePrivateFolder(folder: string): void {
  makeFolder(folder, privateFolderMode);
  narrow(folder);
}

/**
 * Creates an empty file that only its owner may read, unless the file exists. Also used for SQLite databases, since
 * SQLite gives the files that it creates beside a database the same rights as the database.
 */
export function makePrivateFile(file: string): void {
  closeSync(openSync(file, "a", privateFileMode));
  narrow(file);
}

/** Narrows the rights of a folder or a file to its owner. Links and devices stay as they are. */
export function narrow(path: string): void {
  try {
    const there = lstatSync(path);
    if (there.isDirectory()) chmodSync(path, privateFolderMode);
    else if (there.isFile()) chmodSync(path, privateFileMode);
  } catch {
    // An error is ignored when the permissions cannot be set. Either another user owns the file, or the file system
    // has no access rights. In both cases, the owner of the file or of the file system decides who may read the
    // file.
  }
}
