// One open file: reads its unread bytes and splits them into events. The file stays open between reads, so that it is
// read to its end even when it was renamed or deleted.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { shownText } from "../../../../lib/text/index.ts";
import type { FetchingAgent } from "../input.ts";
import { writtenMs } from "./compressed-file.ts";
import { splitRecords } from "./container/split-records.ts";
import type { EventBody } from "./event-body.ts";
import { extendFingerprint, type Fingerprint, fingerprintOf } from "./fingerprint.ts";
import { GzipContent, type GzipState } from "./gzip-content.ts";
import type { FileKey, Position } from "./positions.ts";
import type { Source } from "./source.ts";
import { isSamePlace, type Place, splitEvents } from "./split-events.ts";

/** When the body of a write has this length in bytes, no more events are added to it. */
const fullBody = 1024 * 1024;
/** Largest number of bytes at the end of a file that are kept in memory because their event may continue. */
const mostKept = 16 * 1024;
/**
 * Milliseconds without a change after which a renamed file counts as finished. Until then its writer may not have
 * opened the new file yet, and may still write to the renamed one.
 */
export const renamedMs = 60_000;
/** Number of bytes by which the memory for reading a file is larger than the longest allowed event. */
export const readBytes = 256 * 1024;

const start: Place = { offset: 0, dropping: "" };

/**
 * Maps each state of a gzip file after a read to the part of the unfinished event at the end of the decompressed
 * bytes that counts as complete.
 */
const gzipEnds = { more: "full", cut: "no", whole: "all", damaged: "all", bomb: "all" } as const;

const gzipProblems = {
  more: "",
  cut: "the compressed data ends too early; the file is read on when it grows",
  damaged: "the compressed data is damaged; the rest is not read",
  bomb: "the compressed data expands to more than 1 GiB and 250 times its length; the rest is not read",
} as const;

/**
 * Returns the smallest size in bytes that a file with this saved position must have. A smaller file was truncated or
 * replaced, so the position does not belong to it.
 */
export function leastSize({ place, gzip }: Pick<Position, "place" | "gzip">): number {
  return gzip ?? place.offset;
}

/** The state of an open file, as the file system reports it. */
export interface FileState {
  readonly key: FileKey;
  readonly size: number;
  /** Time of the last write to the file, in nanoseconds since 1970. */
  readonly writtenAt: bigint;
  /** Whether the file is deleted: no path leads to it any more. */
  readonly isDeleted: boolean;
}

export interface Batch {
  /** The position in the file after the last event of the batch (the events that were read together). */
  readonly end: Place;
  readonly cutEvents: number;
  readonly bytes: number;
  /** Whether the file may have further events that can be read without waiting for its writer. */
  readonly hasMore: boolean;
  /** Size in bytes of a gzip file whose whole content has been read after this batch of events; otherwise absent. */
  readonly gzip?: number;
}

/**
 * Opens a file for reading. Returns undefined when the path does not name a regular file. If the path names a pipe, the
 * flag O_NONBLOCK keeps the call from waiting for a writer.
 */
export async function openFile(path: string): Promise<FileHandle | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  return undefined;
}

export async function stateOf(handle: Pick<FileHandle, "stat">): Promise<FileState> {
  const { dev, ino, size, mtimeNs, nlink } = await handle.stat({ bigint: true });
  return { key: keyOf({ dev, ino }), size: Number(size), writtenAt: mtimeNs, isDeleted: nlink === 0n };
}

export function keyOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): FileKey {
  return `${dev}:${ino}`;
}

export interface TailedFileOptions {
  readonly handle: FileHandle;
  readonly key: FileKey;
  /** The path at which the file was found. It becomes the value of the tag `filename`. */
  readonly path: string;
  readonly source: Source;
  readonly place: Place;
  readonly fingerprint: Fingerprint;
  /**
   * Only for gzip files: the size of the file in bytes when its whole content had been read; 0 when the content
   * was not read to its end.
   */
  readonly gzip?: number;
  readonly agent: Pick<FetchingAgent, "log" | "metrics">;
  /** Returns the current time of a monotonic clock in milliseconds. */
  readonly now: () => number;
}

export class TailedFile {
  readonly handle: FileHandle;
  readonly key: FileKey;
  readonly path: string;
  readonly source: Source;
  private place: Place;
  private fingerprint: Fingerprint;
  private readonly agent: TailedFileOptions["agent"];
  private readonly now: () => number;
  /** Size of the file in bytes when it was last checked for changes. */
  size = 0;
  private writtenAt = 0n;
  /** Time of the last check that found the file changed, in milliseconds as the function `now` returns it. */
  grewAt: number;
  /** Time since which no path of the configuration leads to the file; undefined while a path does. */
  detachedAt: number | undefined;
  isDeleted = false;
  /** Whether nobody writes the file any more. Such a file is read to its end and then closed. */
  isEnding = false;
  isClosed = false;
  /**
   * The bytes after the last event that was read. They belong to an event that may continue. A copy is kept in
   * memory because the bytes would be lost if the file was truncated.
   */
  private lastLines: { readonly bytes: Uint8Array; readonly from: Place } | undefined;
  private hasLoggedCut = false;
  /** Decompresses the content of a gzip file; undefined for other files. */
  private readonly content: GzipContent | undefined;
  /** Size in bytes of a gzip file when its whole content had been read; 0 when the content was not read to its end. */
  private gzip: number;
  /** Size in bytes of a gzip file when its content was found to end too early. The file is read again when it grows. */
  private cutSize = 0;

  constructor({ handle, key, path, source, place, fingerprint, gzip, agent, now }: TailedFileOptions) {
    this.handle = handle;
    this.key = key;
    this.path = path;
    this.source = source;
    this.place = place;
    this.fingerprint = fingerprint;
    this.agent = agent;
    this.now = now;
    this.grewAt = now();
    this.content = gzip === undefined ? undefined : new GzipContent(handle);
    this.gzip = gzip ?? 0;
  }

  get isGzip(): boolean {
    return this.content !== undefined;
  }

  /**
   * Whether the file is a gzip file with unread content, which must be read after some time without a write to the
   * file.
   */
  get isDue(): boolean {
    const { size, gzip, cutSize } = this;
    return this.content !== undefined && size !== gzip && size !== cutSize;
  }

  /** Number of bytes of the file whose events are not stored in the queue yet. */
  get unread(): number {
    if (this.content !== undefined) return Math.max(0, this.size - this.gzip);
    return Math.max(0, this.size - this.place.offset);
  }

  get position(): Position {
    const { key, path, fingerprint, place, gzip } = this;
    return { key, path, fingerprint, place, ...(this.content === undefined ? {} : { gzip }) };
  }

  /** Checks whether the file has changed, and whether it is deleted. Returns whether it has changed. */
  async look(): Promise<boolean> {
    const state = await stateOf(this.handle);
    this.isDeleted = state.isDeleted;
    return this.note(state);
  }

  /**
   * Records the size of the file and the time of its last write. Returns whether one of them has changed. Both are
   * compared, because a file that is truncated and written again may have its old size. A file that has changed is not
   * finished, because its writer may write more.
   */
  note({ size, writtenAt }: Pick<FileState, "size" | "writtenAt">): boolean {
    if (size === this.size && writtenAt === this.writtenAt) return false;
    this.size = size;
    this.writtenAt = writtenAt;
    this.grewAt = this.now();
    this.isEnding = false;
    return true;
  }

  /**
   * Returns whether the file was truncated and written again: the file is shorter than the position, or begins with
   * other bytes. If so, moves the position to the start. Otherwise extends the fingerprint (a hash of the first bytes).
   */
  async hasRestarted(): Promise<boolean> {
    if (this.size >= leastSize(this.position) && (await this.beginsAsBefore())) return false;
    this.fingerprint = await fingerprintOf(this.handle);
    this.place = start;
    this.content?.close();
    this.gzip = this.cutSize = 0;
    return true;
  }

  /**
   * Returns whether the file still begins with the bytes that its fingerprint (a hash of the first bytes) covers. If
   * so, and if the file was short before, makes the fingerprint cover the bytes that were added.
   */
  private async beginsAsBefore(): Promise<boolean> {
    const fingerprint = await extendFingerprint(this.handle, this.fingerprint);
    this.fingerprint = fingerprint ?? this.fingerprint;
    return fingerprint !== undefined;
  }

  /**
   * Reads the next events into `body`, about 1 MiB at most. `window` is the memory into which the bytes are read; it
   * must be longer than the longest event. Does not move the position, because the events are not in the queue yet.
   */
  async read(window: Uint8Array, body: EventBody, isComplete: "no" | "lines" | "all"): Promise<Batch> {
    const { place, content } = this;
    if (content !== undefined) return await this.readGzip(content, window, body);
    const length = await this.fill(window, place.offset);
    // After the check by `hasRestarted`, the file may have been truncated and written again, so the bytes that were
    // just read may be new content. Therefore the first bytes of the file are compared once more. When the file has
    // grown, the same call also extends the fingerprint (a hash of the first bytes). This must happen before the
    // position is saved, because a short fingerprint is not enough to recognize the gzip file that log rotation
    // makes.
    if (!(await this.beginsAsBefore())) return { end: place, cutEvents: 0, bytes: 0, hasMore: true };
    const isFull = length === window.length;
    const bytes = window.subarray(0, length);
    const { end, cutEvents, isStopped } = this.split(bytes, place, body, isFull ? "full" : isComplete);
    const taken = end.offset - place.offset;
    this.keepLastLines(bytes.subarray(taken), end);
    return { end, cutEvents, bytes: taken, hasMore: isFull || isStopped };
  }

  /**
   * Reads the next events of a gzip file. A gzip file is read only when it was not written for a while, because its
   * content must be decompressed from the start after it has grown.
   */
  private async readGzip(content: GzipContent, window: Uint8Array, body: EventBody): Promise<Batch> {
    const { place, size } = this;
    body.begin(this.source.head);
    if (!this.isDue || this.now() - this.grewAt < writtenMs)
      return { end: place, cutEvents: 0, bytes: 0, hasMore: false };
    const { length, state } = await content.read(window, place.offset);
    const bytes = window.subarray(0, length);
    const { end, cutEvents, isStopped } = this.split(bytes, place, body, gzipEnds[state]);
    const hasMore = isStopped || state === "more";
    if (!hasMore) this.endGzip(content, state);
    const whole = hasMore || state === "cut" ? {} : { gzip: size };
    return { end, cutEvents, bytes: end.offset - place.offset, hasMore, ...whole };
  }

  private endGzip(content: GzipContent, state: GzipState): void {
    content.close();
    if (state === "whole") return;
    if (state === "cut") this.cutSize = this.size;
    this.agent.log.warn(`tail: ${shownText(this.path)}: ${gzipProblems[state]}`);
  }

  /** Closes the file handle and releases the memory that the file takes. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.content?.close();
    await this.handle.close().catch(() => {});
  }

  /**
   * Adds the last event of a truncated file to `body`, as far as the bytes of the event were kept in memory. The
   * event counts as complete, because the file no longer contains it. Returns whether there is such an event.
   */
  takeLastEvent(body: EventBody): boolean {
    const { lastLines } = this;
    this.lastLines = undefined;
    if (lastLines === undefined) return false;
    this.split(lastLines.bytes, lastLines.from, body, "all");
    return body.events > 0;
  }

  private keepLastLines(bytes: Uint8Array, from: Place): void {
    const { beginsEvent, records } = this.source;
    const isJoined = beginsEvent !== undefined || records !== undefined;
    const isKept = isJoined && bytes.length > 0 && bytes.length <= mostKept;
    // If the file is truncated later, these bytes are split into events as if they were at the offset `from.offset`
    // of the file. At the offset 0 the splitting code would skip a byte order mark, so 0 is replaced by 1.
    this.lastLines = isKept ? { bytes: new Uint8Array(bytes), from: { ...from, offset: from.offset || 1 } } : undefined;
  }

  /**
   * Splits bytes into events. When `ending` is `full`, the bytes fill the whole window (the part of the file that
   * is read at once), so the end of an incomplete last event did not fit into the window.
   */
  private split(bytes: Uint8Array, from: Place, body: EventBody, ending: "no" | "lines" | "all" | "full") {
    const { encoding, settings, beginsEvent, head, records } = this.source;
    let cutEvents = 0;
    let isStopped = false;
    body.begin(head);
    const isComplete = ending === "full" ? "no" : ending;
    const common = { mostBytes: settings.max_line_bytes, beginsEvent, isComplete } as const;
    const taken = (isCut: boolean) => {
      if (isCut) cutEvents++;
      isStopped = body.byteLength >= fullBody;
      return !isStopped;
    };
    const end =
      records === undefined
        ? splitEvents(bytes, from, {
            ...common,
            encoding,
            take: (start, to, isCut) => {
              body.add(encoding.utf8(bytes.subarray(start, to)));
              return taken(isCut);
            },
          })
        : splitRecords(bytes, from, {
            ...common,
            format: records.format,
            isFull: ending === "full",
            take: (message, stream, time, isCut) => {
              body.addRecord(records.heads[stream], message, time);
              return taken(isCut);
            },
          });
    return { end, cutEvents, isStopped };
  }

  /**
   * Returns whether a batch of events moves the position in the file forward. A batch without events also moves it when
   * bytes are dropped.
   */
  hasMoved({ end, gzip = this.gzip }: Batch): boolean {
    return gzip !== this.gzip || !isSamePlace(end, this.place);
  }

  /**
   * Counts events that were cut because they were too long. For each file, logs only the first time that events were
   * cut.
   */
  noteCut(events: number): void {
    const { settings } = this.source;
    this.agent.metrics.tailCut.inc({ source: settings.source }, events);
    if (this.hasLoggedCut) return;
    this.hasLoggedCut = true;
    const limit = `${settings.max_line_bytes} bytes (max_line_bytes)`;
    this.agent.log.warn(
      `tail: ${shownText(this.path)}: an event of more than ${limit} is cut; further ones are counted`,
    );
  }

  /** Moves the position in the file to the end of a batch of events that are in the queue. */
  commit({ end, gzip = this.gzip }: Batch): void {
    this.place = end;
    this.gzip = gzip;
  }

  private async fill(window: Uint8Array, from: number): Promise<number> {
    let length = 0;
    while (length < window.length) {
      const { bytesRead } = await this.handle.read(window, length, window.length - length, from + length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length;
  }
}
