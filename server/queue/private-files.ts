// Folders and files that only their owner may read, whatever the umask of the process says. Earlier versions left wider ones: these
// are narrowed when they are opened.

import { chmodSync, closeSync, lstatSync, mkdirSync, openSync } from "node:fs";

export const privateFolderMode = 0o700;
export const privateFileMode = 0o600;

export function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: privateFolderMode });
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
