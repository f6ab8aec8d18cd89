// Decides where reading of a file begins: at its saved position, at its start, or at its end. Log rotation may make a
// gzip file from a file that the agent was reading. Reading of the gzip file then begins where reading of the original
// file stopped.

import type { FileHandle } from "node:fs/promises";
import { isGzipName, originalOf, writtenMs } from "./compressed-file.ts";
import { type Fingerprint, fingerprintOf, hasFingerprint } from "./fingerprint.ts";
import type { Ended, FileKey, Position, Positions } from "./positions.ts";
import type { Source } from "./source.ts";
import type { Place } from "./split-events.ts";
import { leastSize } from "./tailed-file.ts";

/** An opened file that the agent found at the path `at`, when it searched for files to read. */
export interface FoundFile {
  readonly handle: FileHandle;
  readonly source: Source;
  readonly at: string;
  readonly key: FileKey;
  readonly size: number;
  /** Whether the pattern that found this file is new: no agent has searched for files of this pattern before. */
  readonly isNew: boolean;
}

export interface Beginning {
  /** The path that becomes the tag `filename`. A gzip file that continues another file has the path of that file. */
  readonly path: string;
  readonly place: Place;
  readonly fingerprint: Fingerprint;
  /**
   * Only for gzip files: the size of the file in bytes when its whole content was read or need not be read; 0 when
   * the content was not read to its end.
   */
  readonly gzip?: number;
}

export interface BeginOptions {
  readonly positions: Positions;
  /**
   * Positions that were saved before the agent started. The function `byInode` makes their keys from the path and
   * the inode number. Empty after the first search for files.
   */
  readonly fromLastRun: ReadonlyMap<string, Position>;
  readonly isOpen: (key: FileKey) => boolean;
  /**
   * Called when a new file has the inode number of a deleted file. `position` is the position that was saved for the
   * deleted file. `replaced` is the same position under a key that no real file has, since the usual key (device and
   * inode number) now belongs to the new file.
   */
  readonly onReplaced: (position: Position, replaced: Position) => void;
}

/**
 * Decides where reading of a file begins. When the file still begins with the bytes that it had when its
 * position was saved, reading begins at the saved position. (Other bytes show that the file was written again,
 * or that the system has reused its inode number.) Otherwise reading begins at the start of the file, or at its
 * end when the pattern is new and the setting `from` is `end`. Returns undefined for a gzip file that must not
 * be read yet.
 */
export async function beginReading(file: FoundFile, options: BeginOptions): Promise<Beginning | undefined> {
  const { handle, source, at, key, size, isNew } = file;
  const { positions, fromLastRun, onReplaced } = options;
  const isGzip = isGzipName(at);
  const position = positions.of(key) ?? onOtherDevice(fromLastRun, positions, key, at);
  const isSameKind = position !== undefined && (position.gzip !== undefined) === isGzip;
  if (isSameKind && (await isSameFile(handle, size, position))) {
    if (position.key !== key) await positions.forget(position.key);
    return position;
  }
  if (position !== undefined && position.gzip === undefined) {
    // The saved position belongs to an earlier file. The position of the new file will soon be saved under the same
    // key (device and inode number). So the position of the earlier file is first saved under another key. A gzip
    // file with the content of the earlier file may appear only after this agent has ended; the next agent then
    // finds the position under that other key.
    await positions.end(position);
    const replaced = await positions.replace(position);
    if (replaced !== undefined) onReplaced(position, replaced);
    // The position of the earlier file must not remain under its old key. Usually the new file has the same key, and
    // saving its position soon replaces the old one. In two cases this does not happen: the new file has another
    // key, or it is a gzip file, which may stay unread for a while. In these cases the position of the earlier file
    // is removed here.
    if (isGzip || position.key !== key) await positions.forget(position.key);
  }
  if (isGzip) return await beginGzip(file, options);
  const fingerprint = await fingerprintOf(handle);
  const isAtEnd = isNew && source.settings.from === "end" && position?.path !== at;
  const end = size - (size % source.encoding.width);
  return { path: at, place: { offset: isAtEnd ? end : 0, dropping: "" }, fingerprint };
}

async function beginGzip(file: FoundFile, { positions, isOpen }: BeginOptions): Promise<Beginning | undefined> {
  const { handle, source, at, size, isNew } = file;
  if (await isBeingWritten(handle)) return undefined;
  const read = positions.all().filter(({ gzip }) => gzip === undefined);
  const original = await originalOf(handle, at, [...read, ...positions.ended()]);
  if (original !== undefined) {
    // The original file has the same content as the gzip file, so the gzip file is not read while the agent still reads
    // the original.
    const key = keyIn(original);
    return key !== undefined && isOpen(key) ? undefined : await continueOriginal(file, original, positions);
  }
  const isSkipped = isNew && source.settings.from === "end";
  const fingerprint = await fingerprintOf(handle);
  return { path: at, place: { offset: 0, dropping: "" }, fingerprint, gzip: isSkipped ? size : 0 };
}

/**
 * Takes over the position of the file from which a gzip file was made: saves it for the gzip file, then removes it for
 * the original file. In this order, a kill between both steps loses no position.
 */
export async function continueOriginal(
  { handle, key }: Pick<FoundFile, "handle" | "key">,
  original: Ended,
  positions: Positions,
): Promise<Position> {
  const { path, place } = original;
  const position = { key, path, place, fingerprint: await fingerprintOf(handle), gzip: 0 };
  await positions.save(position);
  const originalKey = keyIn(original);
  // When the gzip file and the original file have the same key (device and inode number), saving the position of the
  // gzip file has replaced the position of the original file. Otherwise the position of the original file is removed
  // here.
  if (originalKey !== undefined && originalKey !== key) await positions.forget(originalKey);
  return position;
}

function keyIn(file: Ended | Position): FileKey | undefined {
  return "key" in file ? file.key : undefined;
}

/**
 * Returns whether the file was changed within the last two seconds. Uses the time of the last change of the inode
 * (ctime), because gzip sets the time of the last write to that of the original file.
 */
export async function isBeingWritten(handle: FileHandle): Promise<boolean> {
  const age = Date.now() - (await handle.stat()).ctimeMs;
  return age >= 0 && age < writtenMs;
}

/**
 * Returns the position of a file that was saved under another device number, but with the same path and inode
 * number. The number of a device may change when the machine restarts.
 */
function onOtherDevice(
  fromLastRun: BeginOptions["fromLastRun"],
  positions: Positions,
  key: FileKey,
  at: string,
): Position | undefined {
  const before = fromLastRun.get(inodeAt(at, key));
  const position = before === undefined ? undefined : positions.of(before.key);
  // The list of positions was read when the agent started. Since then, the position may have been removed, or its
  // key may now belong to another file.
  return position?.path === at ? position : undefined;
}

/** Returns the positions by path and inode number, without the number of the device. */
export function byInode(positions: readonly Position[]): ReadonlyMap<string, Position> {
  return new Map(positions.map((position) => [inodeAt(position.path, position.key), position]));
}

/** Returns a text that identifies a file by its path and its inode number. */
function inodeAt(path: string, key: FileKey): string {
  return `${key.slice(key.indexOf(":"))} ${path}`;
}

/**
 * Returns whether `position` was saved for this file: whether the file begins with the bytes of which the position has
 * the fingerprint, and is at least as long as the position requires.
 */
export async function isSameFile(handle: FileHandle, size: number, position: Position): Promise<boolean> {
  return size >= leastSize(position) && (await hasFingerprint(handle, position.fingerprint));
}
