// Finds lost files: files whose position is saved, but which were renamed or compressed in their folder while no agent
// ran. No pattern of the configuration matches their new names.

import type { FileHandle } from "node:fs/promises";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { continueOriginal, isBeingWritten, isSameFile } from "./begin-reading.ts";
import { isGzipName, originalOf } from "./compressed-file.ts";
import type { FileKey, Position, Positions } from "./positions.ts";
import type { Source } from "./source.ts";
import { type FileState, keyOf, leastSize, openFile, renamedMs, stateOf } from "./tailed-file.ts";

/** Largest number of gzip files that are examined in a folder, the newest ones first. */
const mostGzip = 100;
/**
 * Milliseconds after the first search during which the agent searches for gzip files repeatedly, because a gzip file
 * may still be written when the agent starts.
 */
const gzipMs = 60_000;

/** A lost file (renamed or compressed while no agent ran) that was found again. */
export interface RecoveredFile {
  readonly handle: FileHandle;
  readonly state: FileState;
  readonly position: Position;
  readonly source: Source;
}

export interface LostFilesOptions {
  readonly positions: Positions;
  readonly isOpen: (key: FileKey) => boolean;
  /** Returns the source (entry of `inputs.tail`) that has a pattern for a path; undefined when there is none. */
  readonly sourceOf: (path: string) => Source | undefined;
  /** Returns the current time of a monotonic clock in milliseconds. */
  readonly now: () => number;
}

interface Lost {
  readonly file: Position;
  readonly source: Source;
}

/**
 * Lost files (moved while no agent ran) of one folder. The key of each file consists of its device and inode
 * number. When another file now has the inode number of a lost file, the lost file is stored under a key that no
 * real file can have.
 */
type LostInFolder = Map<string, Lost>;

export class LostFiles {
  private readonly options: LostFilesOptions;
  /** Time of the first search for lost files, as `now` returns it. */
  private since: number | undefined;
  /** Lost files (moved while no agent ran) by folder and by key; undefined before the first search. */
  private lost: Map<string, LostInFolder> | undefined;

  constructor(options: LostFilesOptions) {
    this.options = options;
  }

  /**
   * Gives a lost file (moved while no agent ran) another key, because another file now has its inode number. Does
   * nothing before the first search for lost files, since that search takes the keys from the saved positions.
   */
  rekey({ key, path: at }: Position, replaced: Position): void {
    const wanted = this.lost?.get(path.dirname(at));
    const lost = wanted?.get(key);
    if (wanted === undefined || lost === undefined) return;
    wanted.delete(key);
    wanted.set(replaced.key, { ...lost, file: replaced });
  }

  /**
   * Searches the folders of lost files (moved while no agent ran). Returns the found files that have unread lines, or
   * to which a writer may still add lines. The first call finds renamed files. The first call and all calls in the
   * minute after it find compressed files.
   */
  async find(): Promise<readonly RecoveredFile[]> {
    const isFirst = this.lost === undefined;
    this.lost ??= this.listed();
    this.since ??= this.options.now();
    if (this.lost.size === 0 || this.options.now() - this.since > gzipMs) return [];
    const found: RecoveredFile[] = [];
    for (const [folder, wanted] of this.lost) {
      const names = await readdir(folder).catch(() => []);
      if (isFirst) found.push(...(await this.renamedIn(folder, names, wanted)));
      if (wanted.size > 0) found.push(...(await this.compressedIn(folder, names, wanted)));
      if (wanted.size === 0) this.lost.delete(folder);
    }
    return found;
  }

  private listed(): Map<string, LostInFolder> {
    const { positions, isOpen, sourceOf } = this.options;
    const lost = new Map<string, LostInFolder>();
    for (const file of positions.all()) {
      const source = isOpen(file.key) ? undefined : sourceOf(file.path);
      if (source === undefined) continue;
      const folder = path.dirname(file.path);
      lost.set(folder, (lost.get(folder) ?? new Map()).set(file.key, { file, source }));
    }
    return lost;
  }

  private async renamedIn(folder: string, names: readonly string[], wanted: LostInFolder): Promise<RecoveredFile[]> {
    const found: RecoveredFile[] = [];
    for (const name of names) {
      const at = path.join(folder, name);
      const status = await stat(at, { bigint: true }).catch(() => undefined);
      const lost = status?.isFile() ? wanted.get(keyOf(status)) : undefined;
      if (lost === undefined) continue;
      const file = await reopened(at, lost).catch(() => undefined);
      if (file === undefined) continue;
      const { position, state } = file;
      wanted.delete(state.key);
      // After a file was renamed, its writer continues with it until the writer opens the new file. So a file whose
      // inode was changed recently (by renaming or writing) may still get more lines.
      const isRecent = Date.now() - Number(status?.ctimeMs) < renamedMs;
      const mayHaveMore = isRecent || state.size > leastSize(position);
      if (mayHaveMore && !this.options.isOpen(state.key)) found.push(file);
      else await file.handle.close();
    }
    return found;
  }

  /** Finds gzip files that log rotation made from lost files. */
  private async compressedIn(folder: string, names: readonly string[], wanted: LostInFolder): Promise<RecoveredFile[]> {
    const { positions, isOpen } = this.options;
    const found: RecoveredFile[] = [];
    for (const at of await newestGzip(folder, names)) {
      const handle = await openFile(at).catch(() => undefined);
      if (handle === undefined) continue;
      try {
        const state = await stateOf(handle);
        const { key, size } = state;
        const hasBegun = isOpen(key) || (await isContinued(handle, size, positions.of(key)));
        const isKnown = hasBegun || (await isBeingWritten(handle));
        const candidates = isKnown ? [] : [...wanted.values()].map(({ file }) => file);
        const original = await originalOf(handle, at, candidates);
        if (original === undefined) {
          await handle.close();
          continue;
        }
        const position = await continueOriginal({ handle, key }, original, positions);
        for (const [lostKey, { file, source }] of wanted) {
          if (file !== original) continue;
          wanted.delete(lostKey);
          found.push({ handle, state, position, source });
        }
      } catch {
        await handle.close().catch(() => {});
      }
    }
    return found;
  }
}

/**
 * Opens the file at the path `at`, which has the inode number of a lost file (moved while no agent ran). Returns
 * undefined when this file begins with other bytes than the lost file, since it is then another file.
 */
async function reopened(at: string, { file, source }: Lost): Promise<RecoveredFile | undefined> {
  const handle = await openFile(at);
  if (handle === undefined) return undefined;
  const state = await stateOf(handle);
  const position = { ...file, key: state.key };
  if (await isSameFile(handle, state.size, position)) return { handle, state, position, source };
  await handle.close();
  return undefined;
}

/**
 * Returns whether the position was saved for this gzip file. A position with the key of this file may instead
 * belong to a deleted gzip file that had the same inode number.
 */
async function isContinued(handle: FileHandle, size: number, position: Position | undefined): Promise<boolean> {
  return position?.gzip !== undefined && (await isSameFile(handle, size, position));
}

/** Returns the paths of the gzip files that changed last, the newest one first. */
async function newestGzip(folder: string, names: readonly string[]): Promise<string[]> {
  const files: { readonly at: string; readonly changed: number }[] = [];
  for (const name of names) {
    if (!isGzipName(name)) continue;
    const at = path.join(folder, name);
    const status = await stat(at).catch(() => undefined);
    if (status?.isFile()) files.push({ at, changed: status.ctimeMs });
  }
  const newest = files.sort((left, right) => right.changed - left.changed).slice(0, mostGzip);
  return newest.map(({ at }) => at);
}
