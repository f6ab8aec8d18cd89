// Saves on disk up to which position each file was read. The positions are records that are appended to a log file;
// when the log file has become long, it is rewritten. A record is passed to the operating system but not synced. So it
// survives the end of the process, but a loss of power may lose the last records, and their lines are read again. Each
// record has a checksum. Damaged records are skipped, and the previous record of the file counts.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { makePrivateFolder, privateFileMode } from "../../../queue/private-files.ts";
import type { Log } from "../../../telemetry/log.ts";
import { type Fingerprint, noFingerprint } from "./fingerprint.ts";
import type { Place, StreamPlace } from "./split-events.ts";

/** Identifies a file while it exists: its device and its inode number, as `dev:ino`. */
export type FileKey = string;

/** A file that was deleted or truncated, and the position up to which it was read before. */
export interface Ended {
  readonly path: string;
  readonly fingerprint: Fingerprint;
  readonly place: Place;
}

/** The position up to which the agent has read a file. */
export interface Position extends Ended {
  readonly key: FileKey;
  /**
   * Only for gzip files: the size of the file in bytes when its whole content had been read; 0 when the content
   * was not read to its end. The fingerprint (a hash of the first bytes) of a gzip file covers compressed bytes,
   * but the offset in `place` counts decompressed bytes.
   */
  readonly gzip?: number;
}

export interface Positions {
  /** Returns the saved position of a file; undefined when there is none. */
  of(key: FileKey): Position | undefined;
  all(): readonly Position[];
  /**
   * Saves a position. Resolves when the operating system has received the record of the position. Never rejects:
   * when saving fails, logs an error, and the next call rewrites the log file of positions.
   */
  save(position: Position): Promise<void>;
  forget(key: FileKey): Promise<void>;
  /**
   * Saves the position of a file under a key that no real file has, because another file now has its inode number.
   * Returns the position with this key; undefined when the file has no fingerprint (a hash of its first bytes) by which
   * its content could be recognized. The last 1,000 such positions are kept.
   */
  replace(position: Position): Promise<Position | undefined>;
  /**
   * Saves the position up to which a deleted or truncated file was read. When a gzip file with the same content
   * appears, reading of the gzip file begins there. The positions of the last 1,000 such files are kept.
   */
  end(ended: Ended): Promise<void>;
  /** Returns the deleted and truncated files that the method `end` has recorded, the newest ones first. */
  ended(): readonly Ended[];
  /** Removes the positions of files that have not been open for a month. */
  expire(isOpen: (key: FileKey) => boolean): void;
  /** Returns whether this agent or an earlier one has already scanned for the files of this pattern. */
  wasWatched(pattern: string): boolean;
  /**
   * Saves the patterns whose files were scanned. Files of these patterns that appear later are new, so they are read
   * from their start.
   */
  watch(patterns: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

interface Kept extends Position {
  /** Last day on which the file was known to be open, in days since 1970. */
  readonly day: number;
}

const header = "millrace tail positions 1\n";
/** Number of bytes by which the log file of positions may grow before it is rewritten. */
const longLog = 1024 * 1024;
/** Number of days for which the position of a file is kept after the file was last open. */
const keptDays = 30;
/** Largest number of deleted and truncated files whose last position is kept. */
const mostEnded = 1000;
/** Largest number of positions that are kept of files whose inode number now belongs to another file. */
const mostReplaced = 1000;
/**
 * Prefix of the keys under which positions are saved for files whose inode number now belongs to another file. The
 * prefix is followed by the file's fingerprint (a hash of its first bytes).
 */
const replacedKey = "replaced ";

export interface PositionsOptions {
  readonly folder: string;
  readonly log: Pick<Log, "warn" | "error">;
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Opens the saved positions in `folder`. Creates the folder when it is missing. Throws when the folder cannot be
 * written.
 */
export async function openPositions({ folder, log, now }: PositionsOptions): Promise<Positions> {
  makePrivateFolder(folder);
  const file = path.join(folder, "positions");
  const { kept, watched, ended } = readLog(file, log);
  const today = () => Math.floor(now() / 86_400_000);
  const records = await PositionLog.open(file, () => [
    ...[...kept.values()].map(positionRecord),
    ...[...ended.values()].map(endedRecord),
    ["watched", [...watched]] as const,
  ]);
  let hasFailed = false;
  const append = async (record: PositionRecord) => {
    try {
      await records.append(record);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed)
        log.error(`${file}: positions are not kept, lines may be read again: ${(error as Error).message}`);
      hasFailed = true;
    }
  };
  const save = async (position: Position) => {
    const record: Kept = { ...position, day: today() };
    kept.set(position.key, record);
    await append(positionRecord(record));
  };
  const forget = async (key: FileKey) => {
    if (kept.delete(key)) await append(["forget", key]);
  };
  return {
    of: (key) => kept.get(key),
    all: () => [...kept.values()],
    save,
    forget,
    replace: async (position) => {
      const { fingerprint } = position;
      if (fingerprint.bytes === 0) return undefined;
      const replaced = { ...position, key: replacedKey + fingerprint.hash };
      await save(replaced);
      const keys = [...kept.keys()].filter((key) => key.startsWith(replacedKey));
      if (keys.length > mostReplaced) await forget(keys[0]!);
      return replaced;
    },
    end: async ({ path, fingerprint, place }) => {
      if (fingerprint.bytes === 0) return;
      // The record of a deleted or truncated file does not contain the file's key (device and inode number), since the
      // inode number may already belong to another file.
      const file: Ended = { path, fingerprint, place };
      noteEnded(ended, file);
      await append(endedRecord(file));
    },
    ended: () => [...ended.values()].reverse(),
    expire: (isOpen) => {
      for (const [key, position] of kept) {
        if (isOpen(key)) kept.set(key, { ...position, day: today() });
        else if (position.day < today() - keptDays) kept.delete(key);
      }
    },
    wasWatched: (pattern) => watched.has(pattern),
    watch: async (patterns) => {
      if (patterns.length === watched.size && patterns.every((each) => watched.has(each))) return;
      watched.clear();
      for (const each of patterns) watched.add(each);
      await append(["watched", patterns]);
    },
    close: () => records.close(),
  };
}

type PositionRecord =
  | readonly [kind: "at", ...unknown[]]
  | readonly [kind: "forget", key: FileKey]
  | readonly [kind: "ended", ...unknown[]]
  | readonly [kind: "watched", patterns: readonly string[]];

function positionRecord({ key, path, fingerprint, place, day, gzip }: Kept): PositionRecord {
  const { bytes, hash } = fingerprint;
  return ["at", key, place.offset, place.dropping, bytes, hash, day, path, gzip ?? null, streamsRecord(place)];
}

function endedRecord({ path, fingerprint, place }: Ended): PositionRecord {
  return ["ended", fingerprint.hash, fingerprint.bytes, place.offset, place.dropping, path, streamsRecord(place)];
}

function streamsRecord({ streams = [] }: Place): readonly unknown[] {
  return streams.map(({ stream, offset, dropping }) => [stream, offset, dropping]);
}

/** Adds a deleted or truncated file at the end of `ended`, and removes the oldest file when there are too many. */
function noteEnded(ended: Map<string, Ended>, file: Ended): void {
  const key = file.fingerprint.hash;
  ended.delete(key);
  ended.set(key, file);
  if (ended.size > mostEnded) ended.delete(ended.keys().next().value!);
}

/**
 * Returns the line that stores a record in the log file of positions. The line also begins with a line feed, so that an
 * incomplete line before it does not damage this record.
 */
function lineOf(record: PositionRecord): string {
  const text = JSON.stringify(record);
  return `\n${checksumOf(text)} ${text}\n`;
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}

interface ReadLog {
  readonly kept: Map<FileKey, Kept>;
  readonly watched: Set<string>;
  /** Deleted and truncated files, the newest ones at the end. The key is the hash of the file's first bytes. */
  readonly ended: Map<string, Ended>;
}

function readLog(file: string, log: Pick<Log, "warn">): ReadLog {
  const read: ReadLog = { kept: new Map(), watched: new Set(), ended: new Map() };
  const text = textOf(file);
  if (text === undefined) return read;
  if (!text.startsWith(header)) {
    const aside = `${file}.unknown`;
    renameSync(file, aside);
    log.warn(`${file}: no positions of this version, moved to ${aside}; each file begins where \`from\` says`);
    return read;
  }
  const lines = text.slice(header.length).split("\n");
  // If the agent ended while it wrote the last line of the file, this line is incomplete.
  const last = lines.pop();
  let damaged = last === "" ? 0 : 1;
  for (const line of lines) if (line !== "" && !takeLine(line, read)) damaged++;
  if (damaged > (last === "" ? 0 : 1))
    log.warn(`${file}: ${damaged} damaged records are skipped; lines may be read again`);
  return read;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Parses a line of the log file and applies its record to the result. Returns false when the line is damaged. */
function takeLine(line: string, { kept, watched, ended }: ReadLog): boolean {
  const text = line.slice(9);
  if (line.slice(0, 9) !== `${checksumOf(text)} `) return false;
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return false;
  }
  if (!Array.isArray(record)) return false;
  const [kind, key, ...rest] = record as unknown[];
  if (kind === "watched" && Array.isArray(key)) {
    watched.clear();
    for (const each of key) watched.add(String(each));
    return true;
  }
  if (typeof key !== "string") return false;
  if (kind === "forget") {
    kept.delete(key);
    return true;
  }
  if (kind === "ended") {
    const [bytes, offset, dropping, at, streams] = rest;
    if (typeof bytes !== "number" || typeof offset !== "number" || typeof at !== "string") return false;
    noteEnded(ended, { path: at, fingerprint: { bytes, hash: key }, place: placeOf(offset, dropping, streams) });
    return true;
  }
  const [offset, dropping, bytes, hash, day, at, gzip, streams] = rest;
  if (kind !== "at" || typeof offset !== "number" || typeof at !== "string") return false;
  const fingerprint = typeof bytes === "number" && bytes > 0 ? { bytes, hash: String(hash) } : noFingerprint;
  const more = typeof gzip === "number" ? { gzip } : {};
  const place = placeOf(offset, dropping, streams);
  kept.set(key, { key, path: at, fingerprint, place, day: Number(day), ...more });
  return true;
}

function placeOf(offset: number, dropping: unknown, streams: unknown): Place {
  const place = { offset, dropping: droppingOf(dropping) };
  const known: StreamPlace[] = [];
  for (const [stream, at, dropped] of Array.isArray(streams) ? (streams as unknown[][]) : [])
    if ((stream === 0 || stream === 1 || stream === 2) && typeof at === "number")
      known.push({ stream, offset: at, dropping: droppingOf(dropped) });
  return known.length === 0 ? place : { ...place, streams: known };
}

function droppingOf(value: unknown): Place["dropping"] {
  return value === "line" || value === "event" ? value : "";
}

/**
 * The log file of positions. While a write to it is in progress, further records wait; then they are written together.
 */
class PositionLog {
  private readonly file: string;
  private readonly snapshot: () => readonly PositionRecord[];
  private handle: FileHandle | undefined;
  private length = 0;
  /** Length in bytes at which the log file of positions is rewritten. */
  private mostLength = 0;
  private waiting: string[] = [];
  private writing: Promise<void> | undefined;

  private constructor(file: string, snapshot: () => readonly PositionRecord[]) {
    this.file = file;
    this.snapshot = snapshot;
  }

  static async open(file: string, snapshot: () => readonly PositionRecord[]): Promise<PositionLog> {
    const log = new PositionLog(file, snapshot);
    await log.writeAnew();
    return log;
  }

  /**
   * Adds a record to the log file. Resolves when the operating system has the record; rejects when the record cannot be
   * written.
   */
  async append(record: PositionRecord): Promise<void> {
    this.waiting.push(lineOf(record));
    // The waiting records are written together, as soon as the write in progress has ended.
    const before = this.writing;
    if (this.waiting.length === 1) this.writing = this.writeWaiting(before);
    await this.writing;
  }

  private async writeWaiting(before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => {});
    const text = this.waiting.join("");
    this.waiting = [];
    const { handle } = this;
    // After a failed write the last line of the file may be incomplete, so the file is rewritten.
    if (handle === undefined || this.length > this.mostLength) return await this.writeAnew();
    try {
      await handle.appendFile(text);
      this.length += text.length;
    } catch (error) {
      this.handle = undefined;
      await handle.close().catch(() => {});
      throw error;
    }
  }

  /** Replaces the log file by a new one that holds only the current positions and patterns. */
  private async writeAnew(): Promise<void> {
    const text = header + this.snapshot().map(lineOf).join("");
    const draft = `${this.file}.tmp`;
    const descriptor = openSync(draft, "w", privateFileMode);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, this.file);
    await this.handle?.close().catch(() => {});
    this.handle = undefined;
    this.handle = await open(this.file, "a", privateFileMode);
    this.length = text.length;
    this.mostLength = text.length + longLog;
  }

  async close(): Promise<void> {
    await this.writing?.catch(() => {});
    await this.handle?.close().catch(() => {});
    this.handle = undefined;
  }
}
