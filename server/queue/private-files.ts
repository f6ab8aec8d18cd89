// Makes folders and files that only their owner may read, whatever the umask of the process is. Earlier versions made
// them with wider rights: the rights are narrowed when a folder or file is opened.

import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import path from "node:path";

export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

/**
 * Makes the folder and its missing parents. Throws the system's error for the first folder that cannot be made. Node's
 * own `recursive` option never returns when an existing parent does not allow new folders, as in /proc.
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

/** Makes an empty file unless it exists. Also works for a database: SQLite gives its side files the same rights. */
export function makePrivateFile(file: string): void {
  closeSync(openSync(file, "a", privateFileMode));
  narrow(file);
}

/** Narrows the rights of a folder or a file; links and devices stay as they are. */
export function narrow(path: string): void {
  try {
    const there = lstatSync(path);
    if (there.isDirectory()) chmodSync(path, privateFolderMode);
    else if (there.isFile()) chmodSync(path, privateFileMode);
  } catch {
    // The file has another owner, or the file system has no rights: whoever set it up decides who may read it.
  }
}
