// The types of the queue: its options, its events, and the records that are added and read.

import type { Position } from "./log/cursor.ts";
import type { QueueFiles } from "./log/files.ts";
import type { FrameFormat } from "./log/frame.ts";
import type { Lost } from "./log/mark.ts";

export interface QueueOptions {
  readonly folder: string;
  readonly files: QueueFiles;
  /**
   * Names of the consumers (readers). Each consumer gets every record. When the queue is opened, the cursor files of
   * other consumers are removed.
   */
  readonly consumers: readonly string[];
  /** Largest size in bytes of all segment files and the spare (the file kept for the next segment) together. */
  readonly maxBytes: number;
  /** Size in bytes at which a segment is ended and the next one is begun. */
  readonly segmentBytes: number;
  readonly sync: "group" | "os";
  /**
   * The choice between two reactions to a new record when the queue is full (holds `maxBytes` bytes): "refuse"
   * refuses the record with QueueFull; "drop-oldest" deletes the oldest segment to make room.
   */
  readonly full: "refuse" | "drop-oldest";
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Rules for joining small records while they wait to be written. When absent, no records are joined. */
  readonly joining?: JoinLimits;
  /**
   * Gives back the room on the disk that queues keep only to be faster (`DiskQueue.giveUpRoom`), for all queues on the
   * disk. Called after the first failed write and before each test write. When absent, only this queue gives up room.
   */
  readonly giveUpRoom?: () => Promise<void>;
  readonly events: QueueEvents;
}

export interface JoinLimits {
  /** The bytes that are written between two bodies when bodies are joined into one record. */
  readonly separator: Uint8Array;
  /** Largest total size in bytes of the bodies that are joined into one record. */
  readonly maxBytes: number;
}

export interface QueueEvents {
  /** Called when records were deleted before every consumer had read them. */
  dropped(records: number, points: number): void;
  /**
   * Called when a segment contains damaged bytes, which do not form a record. The segment's file is moved to
   * `aside/` later.
   */
  damaged(file: string, offset: number, bytes: number): void;
  /**
   * Called when a segment file lacks records that it once held, as the high-water mark file (mark.ts) shows. This
   * happens only while the queue is opened.
   */
  lost(file: string, lost: Lost): void;
  /** Called when a segment ended with an incomplete record, because the process or the machine ended during a write. */
  torn(file: string, bytes: number): void;
  /**
   * Called when an operation on a file of the queue has failed. Failed writes and syncs of records are not reported
   * here but to `unwritable`. Records that could not be read stay in the queue.
   */
  failed(file: string, error: Error): void;
  /**
   * Called when a write or sync has failed and its records were refused. Further failures are not reported until the
   * queue can be written again (`writable`).
   */
  unwritable(error: Error): void;
  /** Called when the queue can be written again after a failed write or sync. */
  writable(): void;
  /** Called after each write to a segment, with the number of points and bytes that were written. */
  written?(points: number, bytes: number): void;
  /** Called after each read of a segment file by a consumer, with the number of bytes and the duration in seconds. */
  read?(bytes: number, seconds: number): void;
}

export interface NewRecord {
  /**
   * The body of the record. A short body, of up to `mostCopied` bytes (pending.ts), is copied at once, so the caller
   * may reuse its memory after the call. A longer body is not copied, so the caller must never write to it again.
   */
  readonly body: Uint8Array;
  readonly meta: Uint8Array;
  readonly points: number;
  /** Whether the record may be joined with other records of the same metadata. */
  readonly joins?: boolean;
}

export interface StoredRecord extends Omit<NewRecord, "joins"> {
  readonly start: Position;
  readonly end: Position;
  /** Time when the record was added to the queue, in milliseconds since 1970. */
  readonly time: number;
  /**
   * Whether the record was read from the segment file; false when the record was still in memory, where it was
   * kept after it was written.
   */
  readonly wasRead: boolean;
}

export interface Backlog {
  readonly records: number;
  readonly points: number;
  /** Time when the oldest waiting record was added to the queue, in milliseconds since 1970; 0 when no record waits. */
  readonly oldest: number;
}

/**
 * The numbers of records, points and bytes that must be added to the queue before a waiting consumer (reader)
 * reads again. It reads again as soon as one of these numbers is reached.
 */
export interface WakeThreshold {
  readonly records?: number;
  readonly points?: number;
  /** Number of bytes that must have been added to the queue, counting only the bodies of records. */
  readonly bytes?: number;
}

/** The state of a segment, which is one file of an open queue. */
export interface Segment {
  readonly number: number;
  readonly format: FrameFormat;
  /** Offset of the end of the frames (stored records) that are whole and on the storage device. */
  end: number;
  records: number;
  points: number;
  /**
   * Time when the segment's first record was added to the queue, in milliseconds since 1970; 0 when it has no record.
   */
  oldest: number;
  damaged: boolean;
  /**
   * Size in bytes that the file had when the segment was begun over the spare (spare.ts). Bytes of an older segment may
   * be in the file up to this offset. 0 when there are none.
   */
  bytesBefore: number;
  /** Whether this process ended the segment without any error. Only then may its file become the spare (spare.ts). */
  reusable: boolean;
}
