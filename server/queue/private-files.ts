// Folders and files that only their owner may read, whatever the umask of the process says. Earlier versions left wider ones: these
// are narrowed when they are opened.

import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync } from "node:fs";
import path from "node:path";

export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

/**
 * Makes the folder and those above it, unless they are there; throws the error of the system, with the folder that cannot be made. Node's
 * own `recursive` tries for ever where a parent that exists takes no folder, as in /proc.
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

/** Also for a database: SQLite gives the files beside it the same rights. */
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
    // Another owner, or a file system without rights: who gave it to this process decides.
  }
}
