// What goes into a queue and comes out of it, and how one is opened.

import type { Position } from "./log/cursor.ts";
import type { QueueFiles } from "./log/files.ts";
import type { FrameFormat } from "./log/frame.ts";
import type { Lost } from "./log/mark.ts";

export interface QueueOptions {
  readonly folder: string;
  readonly files: QueueFiles;
  /** Consumers by name; each gets every record. A cursor of another name is removed. */
  readonly consumers: readonly string[];
  /** Bytes of all segment files together, the spare included. */
  readonly maxBytes: number;
  /** Size at which a segment is closed and the next one begun. */
  readonly segmentBytes: number;
  readonly sync: "group" | "os";
  /** What a put meets at `maxBytes`: a QueueFull, or room made by deleting the oldest segment. */
  readonly full: "refuse" | "drop-oldest";
  /** ms since 1970. */
  readonly now: () => number;
  /** How records that allow it are put together while they wait to be written; left out: none are. */
  readonly joining?: Joining;
  /** Gets the body of a record that the queue has no more use for in memory. Only of queues with one consumer. */
  readonly unneeded?: (body: Uint8Array) => void;
  readonly events: QueueEvents;
}

export interface Joining {
  /** Between two bodies. */
  readonly separator: Uint8Array;
  /** Of the bodies of one record together. */
  readonly maxBytes: number;
}

export interface QueueEvents {
  /** Records deleted before every consumer had them. */
  dropped(records: number, points: number): void;
  /** Bytes that are no record; the segment is kept aside. */
  damaged(file: string, offset: number, bytes: number): void;
  /** When the queue was opened, a file lacked records that it once held (mark.ts). */
  lost(file: string, lost: Lost): void;
  /** The end of a record that was being written when the process or machine ended. */
  torn(file: string, bytes: number): void;
  /** A file could not be read, ended or removed. What a read was to give waits. */
  failed(file: string, error: Error): void;
  /** A write or sync failed and its puts were refused. Called once, until `writable`. */
  unwritable(error: Error): void;
  /** The queue can be written again. */
  writable(): void;
  /** So much was written in one go, and is kept. */
  written?(points: number, bytes: number): void;
  /** A consumer read so much of a file in one go. */
  read?(bytes: number, seconds: number): void;
}

export interface NewRecord {
  /** Up to `mostCopied` bytes (pending.ts) a put has copied when it returns; to a longer one nobody writes any more. */
  readonly body: Uint8Array;
  readonly meta: Uint8Array;
  readonly points: number;
  /** May become one record with others of the same meta. */
  readonly joins?: boolean;
}

export interface StoredRecord extends Omit<NewRecord, "joins"> {
  readonly start: Position;
  readonly end: Position;
  /** When it was put, ms since 1970. */
  readonly time: number;
  /** Read back from the file, in place of being still in memory. */
  readonly wasRead: boolean;
}

export interface Backlog {
  readonly records: number;
  readonly points: number;
  /** When the oldest record was put, ms since 1970; 0 when there is none. */
  readonly oldest: number;
}

/** What a consumer waits for: any of these. */
export interface Enough {
  readonly records?: number;
  readonly points?: number;
  /** Of bodies. */
  readonly bytes?: number;
}

/** A segment file of an open queue. */
export interface Segment {
  readonly number: number;
  readonly format: FrameFormat;
  /** Where whole, durable frames end. */
  end: number;
  records: number;
  points: number;
  /** When its first record was put, ms since 1970; 0 when there is none. */
  oldest: number;
  damaged: boolean;
  /** A write or sync failed. */
  failed: boolean;
}
