// One open file: reads its unread bytes and splits them into events. The file stays open between reads, so that it is
// read to its end even when it was renamed or deleted.

import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { shownText } from "../../../../lib/text/index.ts";
import type { FetchingAgent } from "../input.ts";
import type { EventBody } from "./event-body.ts";
import { type Fingerprint, fingerprintBytes, fingerprintOf, hasFingerprint, noFingerprint } from "./fingerprint.ts";
import type { FileKey, Position } from "./positions.ts";
import type { Source } from "./source.ts";
import { type Place, splitEvents } from "./split-events.ts";

/** Length in bytes at which the body of a write is full. */
const fullBody = 1024 * 1024;
/** Largest number of bytes at the end of a file that are kept in memory because their event may continue. */
const mostKept = 16 * 1024;
/** Number of bytes that are read at once, in addition to the length of the longest event. */
export const readBytes = 256 * 1024;

const start: Place = { offset: 0, dropping: "" };

/** The state of an open file, as the file system reports it. */
export interface FileState {
  readonly key: FileKey;
  readonly size: number;
  /** Whether no path leads to the file any more. */
  readonly isDeleted: boolean;
}

export interface Batch {
  /** The place in the file after the last event of the batch. */
  readonly end: Place;
  readonly cutEvents: number;
  readonly bytes: number;
  /** Whether the file may have more events that can be read at once. */
  readonly hasMore: boolean;
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
  const { dev, ino, size, nlink } = await handle.stat({ bigint: true });
  return { key: keyOf({ dev, ino }), size: Number(size), isDeleted: nlink === 0n };
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
  readonly agent: Pick<FetchingAgent, "log" | "metrics">;
  /** Returns the time of a monotonic clock in milliseconds. */
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
  /** Size of the file in bytes at the last check. */
  size = 0;
  /** Time, as `now` returns it, of the last check that found a changed size. */
  grewAt: number;
  /** Time since which no path of the configuration leads to the file; undefined while a path does. */
  detachedAt: number | undefined;
  isDeleted = false;
  /** Whether nobody writes the file any more. Such a file is read to its end and then closed. */
  isEnding = false;
  isClosed = false;
  /**
   * The bytes after the position, which belong to an event that may continue. They are kept because truncating the file
   * would lose them.
   */
  private lastLines: Uint8Array | undefined;
  private hasLoggedCut = false;

  constructor({ handle, key, path, source, place, fingerprint, agent, now }: TailedFileOptions) {
    this.handle = handle;
    this.key = key;
    this.path = path;
    this.source = source;
    this.place = place;
    this.fingerprint = fingerprint;
    this.agent = agent;
    this.now = now;
    this.grewAt = now();
  }

  /** Number of bytes whose events are not in the queue yet. */
  get unread(): number {
    return Math.max(0, this.size - this.place.offset);
  }

  get position(): Position {
    const { key, path, fingerprint, place } = this;
    return { key, path, fingerprint, place };
  }

  /** Checks the size of the file, and whether the file is deleted. Returns whether the size has changed. */
  async look(): Promise<boolean> {
    const { size, isDeleted } = await stateOf(this.handle);
    this.isDeleted = isDeleted;
    return this.note(size);
  }

  /** Records the size of the file. Returns whether the size has changed. */
  note(size: number): boolean {
    if (size === this.size) return false;
    this.size = size;
    this.grewAt = this.now();
    return true;
  }

  /**
   * Returns whether the file was truncated and written again: the file is shorter than the position, or begins with
   * other bytes. If so, moves the position to the start. Otherwise extends the fingerprint (a hash of the first bytes)
   * while the file is short.
   */
  async hasRestarted(): Promise<boolean> {
    const { fingerprint, handle, size, place } = this;
    const isSame = size >= place.offset && (await hasFingerprint(handle, fingerprint));
    if (isSame && (fingerprint.bytes === fingerprintBytes || size <= fingerprint.bytes)) return false;
    this.fingerprint = size === 0 ? noFingerprint : await fingerprintOf(handle);
    if (isSame) return false;
    this.place = start;
    return true;
  }

  /**
   * Reads the next events into `body`, about 1 MiB at most. `window` is the memory into which the bytes are read; it
   * must be longer than the longest event. Does not move the position, because the events are not in the queue yet.
   */
  async read(window: Uint8Array, body: EventBody, isComplete: "no" | "lines" | "all"): Promise<Batch> {
    const { place } = this;
    const length = await this.fill(window, place.offset);
    const isFull = length === window.length;
    const bytes = window.subarray(0, length);
    const { end, cutEvents, isStopped } = this.split(bytes, place, body, isFull ? "no" : isComplete);
    const taken = end.offset - place.offset;
    this.keepLastLines(bytes.subarray(taken));
    return { end, cutEvents, bytes: taken, hasMore: isFull || isStopped };
  }

  /**
   * Puts the last event of a truncated file into `body`, as far as its bytes were kept in memory. The event is
   * complete, because the file no longer has it. Returns whether there is such an event.
   */
  takeLastEvent(body: EventBody): boolean {
    const { lastLines } = this;
    this.lastLines = undefined;
    if (lastLines === undefined) return false;
    this.split(lastLines, { offset: 1, dropping: "" }, body, "all");
    return body.events > 0;
  }

  private keepLastLines(bytes: Uint8Array): void {
    const isKept = this.source.beginsEvent !== undefined && bytes.length > 0 && bytes.length <= mostKept;
    this.lastLines = isKept ? new Uint8Array(bytes) : undefined;
  }

  private split(bytes: Uint8Array, from: Place, body: EventBody, isComplete: "no" | "lines" | "all") {
    const { encoding, settings, beginsEvent, head } = this.source;
    let cutEvents = 0;
    let isStopped = false;
    body.begin(head);
    const end = splitEvents(bytes, from, {
      encoding,
      mostBytes: settings.max_line_bytes,
      beginsEvent,
      isComplete,
      take: (start, to, isCut) => {
        body.add(encoding.utf8(bytes.subarray(start, to)));
        if (isCut) cutEvents++;
        isStopped = body.byteLength >= fullBody;
        return !isStopped;
      },
    });
    return { end, cutEvents, isStopped };
  }

  /**
   * Returns whether the batch moves the position in the file forward. A batch without events also moves it when bytes
   * are dropped.
   */
  hasMoved({ end }: Batch): boolean {
    return end.offset !== this.place.offset || end.dropping !== this.place.dropping;
  }

  /** Counts events that were cut because they were too long. Logs only the first time for each file. */
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

  /** Moves the position to the end of a batch whose events are in the queue. */
  commit({ end }: Batch): void {
    this.place = end;
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
