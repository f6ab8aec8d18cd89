// Finds the files that a pattern names, and the folders in which further ones may appear. Symbolic links to files are
// found; `**` follows no link to a folder, so that a link to a folder above does not lead in a circle.

import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { FilePattern, PatternPart } from "../../../config/file-pattern.ts";

/** Largest number of files that one pattern may name. */
const mostFiles = 10_000;
/** Largest number of names that are looked at for one pattern. */
const mostNames = 200_000;
/** Greatest number of folders inside of each other that `**` stands for. */
const mostDepth = 32;

export interface Problem {
  readonly path: string;
  /** The system's code of the error, such as `EACCES`. */
  readonly code: string;
}

export interface FoundFiles {
  readonly paths: readonly string[];
  /** The folders in which names were looked up. */
  readonly folders: readonly string[];
  readonly problems: readonly Problem[];
  /** Whether files were left out because of a limit. */
  readonly isCut: boolean;
}

interface Search {
  readonly parts: readonly PatternPart[];
  readonly isExcluded: (path: string) => boolean;
  readonly paths: Set<string>;
  readonly folders: Set<string>;
  readonly problems: Problem[];
  names: number;
  isCut: boolean;
}

/**
 * Finds the files that the pattern names and `isExcluded` does not exclude. A path of the result may be a folder or a
 * pipe, or may not exist where the pattern is a plain path; whoever opens it must look.
 */
export async function findFiles(
  pattern: FilePattern,
  isExcluded: (path: string) => boolean = () => false,
): Promise<FoundFiles> {
  const { parts } = pattern;
  const search: Search = {
    parts,
    isExcluded,
    paths: new Set(),
    folders: new Set(),
    problems: [],
    names: 0,
    isCut: false,
  };
  await walk(search, "/", 0, 0);
  const { paths, folders, problems, isCut } = search;
  return { paths: [...paths].sort(), folders: [...folders], problems, isCut };
}

/** Looks in `folder` for what the parts from `at` on name. */
async function walk(search: Search, folder: string, at: number, depth: number): Promise<void> {
  const part = search.parts[at];
  if (part === undefined || search.isCut) return;
  const isLast = at === search.parts.length - 1;
  if (part.kind === "name") {
    const below = path.join(folder, part.name);
    if (!isLast) return await walk(search, below, at + 1, 0);
    search.folders.add(folder);
    // Below a folder that was found, a file of this name need not be there. A path without patterns is kept as it is.
    const isFixed = search.parts.every(({ kind }) => kind === "name");
    if (isFixed || (await exists(below))) add(search, below);
    return;
  }
  search.folders.add(folder);
  if (part.kind === "folders") await walk(search, folder, at + 1, 0);
  for (const entry of await entriesOf(search, folder)) {
    const below = path.join(folder, entry.name);
    if (part.kind === "folders") {
      if (entry.isDirectory() && !entry.name.startsWith(".") && depth < mostDepth)
        await walk(search, below, at, depth + 1);
    } else if (part.matches(entry.name)) {
      if (!isLast) {
        if (await isFolder(entry, below)) await walk(search, below, at + 1, 0);
      } else if (entry.isFile() || entry.isSymbolicLink() || isUnknown(entry)) add(search, below);
    }
  }
}

function add(search: Search, file: string): void {
  if (search.isExcluded(file)) return;
  if (search.paths.size >= mostFiles) search.isCut = true;
  else search.paths.add(file);
}

async function entriesOf(search: Search, folder: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    search.names += entries.length;
    if (search.names <= mostNames) return entries;
    search.isCut = true;
    return [];
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" && code !== "ENOTDIR") search.problems.push({ path: folder, code });
    return [];
  }
}

async function exists(at: string): Promise<boolean> {
  return await lstat(at).then(
    () => true,
    () => false,
  );
}

/** Returns whether the file system does not tell the kind of an entry, as some network file systems do not. */
function isUnknown(entry: Dirent): boolean {
  return !entry.isDirectory() && !entry.isFIFO() && !entry.isSocket() && !entry.isCharacterDevice();
}

async function isFolder(entry: Dirent, at: string): Promise<boolean> {
  if (entry.isDirectory()) return true;
  if (entry.isFile()) return false;
  return await stat(at).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
