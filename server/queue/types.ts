// The types of the queue: its options and events, and the records that go in and come out.

import type { Position } from "./log/cursor.ts";
import type { QueueFiles } from "./log/files.ts";
import type { FrameFormat } from "./log/frame.ts";
import type { Lost } from "./log/mark.ts";

export interface QueueOptions {
  readonly folder: string;
  readonly files: QueueFiles;
  /**
   * Names of the consumers. Each consumer gets every record. When the queue is opened, cursors with other names are
   * removed.
   */
  readonly consumers: readonly string[];
  /** Most bytes of all segment files together, the spare included. */
  readonly maxBytes: number;
  /** Size in bytes at which a segment is closed and the next one begun. */
  readonly segmentBytes: number;
  readonly sync: "group" | "os";
  /**
   * The reaction to a put at `maxBytes`: refuse the put with QueueFull, or delete the oldest segment.
   */
  readonly full: "refuse" | "drop-oldest";
  /** Returns the time, ms since 1970. */
  readonly now: () => number;
  /** How small records are joined while they wait to be written. When left out, no records are joined. */
  readonly joining?: Joining;
  /**
   * Gets the body of each record that the queue no longer needs in memory. Called only when the queue has one consumer.
   */
  readonly unneeded?: (body: Uint8Array) => void;
  readonly events: QueueEvents;
}

export interface Joining {
  /** Bytes between two bodies. */
  readonly separator: Uint8Array;
  /** Most bytes of the joined bodies of one record. */
  readonly maxBytes: number;
}

export interface QueueEvents {
  /** Called when records were deleted before every consumer had them. */
  dropped(records: number, points: number): void;
  /** Called when a segment has bytes that are no record. Its file is moved to `aside/` later. */
  damaged(file: string, offset: number, bytes: number): void;
  /** Called when a file lacks records that it once held (mark.ts). Happens only while the queue is opened. */
  lost(file: string, lost: Lost): void;
  /** Called when a segment ended with a torn record: the process or machine ended during the write. */
  torn(file: string, bytes: number): void;
  /** Called when a file could not be read, ended, or removed. Records that could not be read stay in the queue. */
  failed(file: string, error: Error): void;
  /** Called when a write or sync failed and its puts were refused. Not called again before `writable`. */
  unwritable(error: Error): void;
  /** Called when the queue can be written again. */
  writable(): void;
  /** Called after each write with the points and bytes that it added. */
  written?(points: number, bytes: number): void;
  /** Called after each read of a file by a consumer, with its length and duration. */
  read?(bytes: number, seconds: number): void;
}

export interface NewRecord {
  /**
   * The body. A body of up to `mostCopied` bytes (pending.ts) is copied before the put returns. A longer one is not
   * copied: the caller must never write to it again.
   */
  readonly body: Uint8Array;
  readonly meta: Uint8Array;
  readonly points: number;
  /** Whether the record may be joined with others of the same meta. */
  readonly joins?: boolean;
}

export interface StoredRecord extends Omit<NewRecord, "joins"> {
  readonly start: Position;
  readonly end: Position;
  /** Time when the record was put, ms since 1970. */
  readonly time: number;
  /** Whether the record was read from the file. False when it was still in memory. */
  readonly wasRead: boolean;
}

export interface Backlog {
  readonly records: number;
  readonly points: number;
  /** Time when the oldest record was put, ms since 1970; 0 when there is none. */
  readonly oldest: number;
}

/** The amount that ends a wait of a consumer: any one of these is enough. */
export interface Enough {
  readonly records?: number;
  readonly points?: number;
  /** Bytes of bodies. */
  readonly bytes?: number;
}

/** A segment file of an open queue. */
export interface Segment {
  readonly number: number;
  readonly format: FrameFormat;
  /** Offset behind the last whole, durable frame. */
  end: number;
  records: number;
  points: number;
  /** Time when its first record was put, ms since 1970; 0 when there is none. */
  oldest: number;
  damaged: boolean;
  /** Whether a write or sync failed. */
  failed: boolean;
}
