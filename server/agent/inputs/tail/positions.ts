// Keeps on disk how far each file was read, as a log of records that only grows; it is written anew when it has become
// long. A record counts from the moment when the system has it, so it survives the end of the process. A loss of power
// may take the last records, and lines are then read again. Each record has a checksum: damaged records are skipped,
// and the one before counts.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { makePrivateFolder, privateFileMode } from "../../../queue/private-files.ts";
import type { Log } from "../../../telemetry/log.ts";
import { type Fingerprint, noFingerprint } from "./fingerprint.ts";
import type { Place } from "./split-events.ts";

/** Identifies a file while it exists: its device and its inode number, as `dev:ino`. */
export type FileKey = string;

/** The position up to which a file was read. */
export interface Position {
  readonly key: FileKey;
  readonly path: string;
  readonly fingerprint: Fingerprint;
  readonly place: Place;
}

export interface Positions {
  /** Returns the last position of a file; undefined when there is none. */
  of(key: FileKey): Position | undefined;
  all(): readonly Position[];
  /** Keeps a position. Resolves when the system has it. Never rejects: an error is logged, and the log written anew. */
  save(position: Position): Promise<void>;
  forget(key: FileKey): Promise<void>;
  /** Drops the positions of files that are not open and were not for a month. */
  expire(isOpen: (key: FileKey) => boolean): void;
  /** Returns whether the files of this pattern were looked for before, by this agent or an earlier one. */
  wasWatched(pattern: string): boolean;
  /** Keeps which patterns are looked for; the files that appear from now on are new. */
  watch(patterns: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

interface Kept extends Position {
  /** When the file was seen last, in days since 1970. */
  readonly day: number;
}

const header = "millrace tail positions 1\n";
/** Length of the log in bytes from which on it is written anew. */
const longLog = 1024 * 1024;
/** Days after which the position of a file that was not open is dropped. */
const keptDays = 30;

export interface PositionsOptions {
  readonly folder: string;
  readonly log: Pick<Log, "warn" | "error">;
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
}

/** Opens the positions in a folder, which is created if it is missing. Throws when the folder cannot be written. */
export async function openPositions({ folder, log, now }: PositionsOptions): Promise<Positions> {
  makePrivateFolder(folder);
  const file = path.join(folder, "positions");
  const { kept, watched } = readLog(file, log);
  const today = () => Math.floor(now() / 86_400_000);
  const records = await PositionLog.open(file, () => [
    ...[...kept.values()].map(positionRecord),
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
  return {
    of: (key) => kept.get(key),
    all: () => [...kept.values()],
    save: async (position) => {
      const record: Kept = { ...position, day: today() };
      kept.set(position.key, record);
      await append(positionRecord(record));
    },
    forget: async (key) => {
      if (kept.delete(key)) await append(["forget", key]);
    },
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
  | readonly [kind: "watched", patterns: readonly string[]];

function positionRecord({ key, path, fingerprint, place, day }: Kept): PositionRecord {
  return ["at", key, place.offset, place.dropping, fingerprint.bytes, fingerprint.hash, day, path];
}

/** Returns the line of a record. It begins with a line feed, too, so that damage to one costs no second record. */
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
}

function readLog(file: string, log: Pick<Log, "warn">): ReadLog {
  const read: ReadLog = { kept: new Map(), watched: new Set() };
  const text = textOf(file);
  if (text === undefined) return read;
  if (!text.startsWith(header)) {
    const aside = `${file}.unknown`;
    renameSync(file, aside);
    log.warn(`${file}: no positions of this version, moved to ${aside}; each file begins where \`from\` says`);
    return read;
  }
  const lines = text.slice(header.length).split("\n");
  // The agent may have ended while it wrote the last line.
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

/** Applies the record of a line. Returns false when the line is damaged. */
function takeLine(line: string, { kept, watched }: ReadLog): boolean {
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
  const [offset, dropping, bytes, hash, day, at] = rest;
  if (kind !== "at" || typeof offset !== "number" || typeof at !== "string") return false;
  const fingerprint = typeof bytes === "number" && bytes > 0 ? { bytes, hash: String(hash) } : noFingerprint;
  const place: Place = { offset, dropping: dropping === "line" || dropping === "event" ? dropping : "" };
  kept.set(key, { key, path: at, fingerprint, place, day: Number(day) });
  return true;
}

/** The file of the log. Records that come while the file is written are written together. */
class PositionLog {
  private readonly file: string;
  private readonly snapshot: () => readonly PositionRecord[];
  private handle: FileHandle | undefined;
  private length = 0;
  /** Length up to which the log may grow before it is written anew. */
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

  /** Adds a record. Resolves when the system has it; rejects when it cannot be written. */
  async append(record: PositionRecord): Promise<void> {
    this.waiting.push(lineOf(record));
    // The records that wait are written when those before them are, all at once.
    const before = this.writing;
    if (this.waiting.length === 1) this.writing = this.writeWaiting(before);
    await this.writing;
  }

  private async writeWaiting(before: Promise<void> | undefined): Promise<void> {
    await before?.catch(() => {});
    const text = this.waiting.join("");
    this.waiting = [];
    const { handle } = this;
    // After an error the last line of the file may be incomplete, so the file is replaced.
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

  /** Replaces the file by one that holds only what counts. */
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
