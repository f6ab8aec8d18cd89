// Finds the files that match a pattern, and the folders in which more matching files may appear. Finds symbolic links
// to files, too. `**` does not follow links to folders, because a link to a parent folder would make the search
// endless.

import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { FilePattern, PatternPart } from "../../../config/file-pattern.ts";

/** Largest number of files that a search for one pattern finds. */
const mostFiles = 10_000;
/** Largest number of folder entries that a search for one pattern reads. */
const mostNames = 200_000;
/** Largest depth of nested folders that `**` in a pattern matches. */
const mostDepth = 32;

export interface Problem {
  readonly path: string;
  /** Error code of the operating system, such as `EACCES`. */
  readonly code: string;
}

export interface FoundFiles {
  readonly paths: readonly string[];
  /** The folders in which matching files exist or may appear. */
  readonly folders: readonly string[];
  readonly problems: readonly Problem[];
  /** Whether the search reached a limit, so that files may be missing in the result. */
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
 * Finds the files that match the pattern and that `isExcluded` does not exclude. A returned path may also name a folder
 * or a pipe. When the pattern has no wildcards, the path may not exist. So the caller must check each path.
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

/**
 * Searches a folder and its subfolders for files that match the parts of the pattern from the index `at` on. `depth`:
 * number of folders that the current `**` has matched so far.
 */
async function walk(search: Search, folder: string, at: number, depth: number): Promise<void> {
  const part = search.parts[at];
  if (part === undefined || search.isCut) return;
  const isLast = at === search.parts.length - 1;
  if (part.kind === "name") {
    const below = path.join(folder, part.name);
    if (!isLast) return await walk(search, below, at + 1, 0);
    search.folders.add(folder);
    // A pattern without wildcards names a single path, which is added even when nothing exists there. For a pattern
    // with wildcards, the search visits several folders. In each of them it forms the path `below` from the folder
    // and the last part of the pattern, and adds this path only when it exists.
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

/** Returns whether the file system does not report the type of a folder entry, as on some network file systems. */
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
