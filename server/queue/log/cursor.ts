// The cursor file of a consumer (reader of a queue). It contains the position in the queue up to which the
// consumer has acknowledged all records. The file has two slots, which are written in turn: if a crash leaves
// one slot incomplete, the other one is intact. After a loss of power, a slot may contain an older position than
// the last acknowledged one, but never a newer one. So records may be delivered twice, but none is lost.
//
//   slot of 256 bytes  0 u32 CRC-32 of bytes 4..256   8 f64 generation (count of writes)
//                      16 f64 segment   24 f64 offset
//                      32 fourteen times f64 segment and f64 offset: the ends of the batches under way (0 = none)
//
// Files of earlier versions have two slots of 64 bytes at their beginning, each with the end of one batch and a
// CRC-32 of bytes 4..56. This code reads these slots and leaves them in place; the current slots follow them in
// the file.

import { crc32 } from "node:zlib";
import type { QueueFile, QueueFiles } from "./files.ts";

/**
 * A position in a queue: the number of a segment, and a byte offset in the file of this segment. At the offset,
 * a frame (stored record) begins or the segment ends.
 */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

interface Layout {
  readonly slotBytes: number;
  readonly summedBytes: number;
  readonly planned: number;
  /**
   * The byte offsets of the two slots in the cursor file. The slots are written in turn; each contains a complete
   * copy of the position.
   */
  readonly offsets: readonly [number, number];
}

const earlier: Layout = { slotBytes: 64, summedBytes: 56, planned: 1, offsets: [0, 64] };
const today: Layout = { slotBytes: 256, summedBytes: 256, planned: 14, offsets: [128, 384] };

/** Maximum number of batches under way (sent but not answered) whose ends fit into the cursor file. */
export const mostPlanned = today.planned;

export class Cursor {
  private done: Position;
  private ends: readonly Position[];
  private generation: number;
  private readonly file: QueueFile;
  /** Resolves when the latest write to the file has ended. Only then does the next write start. */
  private last: Promise<void> = Promise.resolve();
  private dirty = false;

  private constructor(file: QueueFile, acknowledged: Position, ends: readonly Position[], generation: number) {
    this.file = file;
    this.done = acknowledged;
    this.ends = ends;
    this.generation = generation;
  }

  /** The position in the queue before which the consumer has acknowledged every record. */
  get acknowledged(): Position {
    return this.done;
  }

  /**
   * The ends, in order, of the batches that were sent but not acknowledged. After a restart, the next batches must
   * end at the same positions, so that they have the same records and the same ids as before.
   */
  get planned(): readonly Position[] {
    return this.ends;
  }

  plan(end: Position): void {
    if (this.ends.some((each) => isSame(each, end))) return;
    this.ends = [...this.ends, end].sort((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, mostPlanned);
  }

  acknowledge(end: Position): void {
    this.done = end;
    this.ends = this.ends.filter((each) => isBefore(end, each));
  }

  static async open(files: QueueFiles, path: string): Promise<Cursor> {
    const file = await files.openOrMake(path);
    try {
      const slot = await newestSlot(file);
      if (slot === undefined) return new Cursor(file, beginning, [], 0);
      return new Cursor(file, slot.acknowledged, slot.ends, slot.generation);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads the acknowledged position from a cursor file. Throws when the file cannot be read. */
  static async read(files: QueueFiles, path: string): Promise<Position> {
    const file = await files.open(path);
    try {
      return (await newestSlot(file))?.acknowledged ?? beginning;
    } finally {
      await file.close();
    }
  }

  /**
   * Writes the current position to the file, without syncing the file. Several calls before the write begins cause
   * only one write. Never rejects.
   */
  save(): Promise<void> {
    if (this.dirty) return this.last;
    this.dirty = true;
    this.last = this.last.then(async () => {
      this.dirty = false;
      const slot = Buffer.alloc(today.slotBytes);
      slot.writeDoubleLE(++this.generation, 8);
      for (const [at, { segment, offset }] of [this.done, ...this.ends].entries()) {
        slot.writeDoubleLE(segment, 16 + 16 * at);
        slot.writeDoubleLE(offset, 24 + 16 * at);
      }
      slot.writeUInt32LE(crc32(slot.subarray(4, today.summedBytes)), 0);
      // An error is ignored, for example when the disk is full. The only harm is that records may be sent again after
      // a crash.
      await this.file.write([slot], today.offsets[this.generation % 2]).catch(() => {});
    });
    return this.last;
  }

  /** Closes the cursor file without writing to it. */
  async leave(): Promise<void> {
    await this.file.close();
  }

  async close(): Promise<void> {
    await this.save();
    await this.file.sync().catch(() => {});
    await this.file.close();
  }
}

const beginning: Position = { segment: 0, offset: 0 };

/**
 * Reads the two slots of the cursor file (copies of the position, written in turn). Returns the intact slot with
 * the highest generation (count of writes). Returns undefined when no slot is intact.
 */
async function newestSlot(file: QueueFile) {
  const bytes = Buffer.alloc(today.offsets[1] + today.slotBytes);
  const filled = await file.read(bytes, 0);
  const slots = [earlier, today].flatMap(({ slotBytes, summedBytes, planned, offsets }) =>
    offsets
      .filter((at) => at + slotBytes <= filled)
      .map((at) => bytes.subarray(at, at + slotBytes))
      .filter((slot) => crc32(slot.subarray(4, summedBytes)) === slot.readUInt32LE(0))
      .map((slot) => ({
        generation: slot.readDoubleLE(8),
        acknowledged: positionAt(slot, 16),
        ends: endsIn(slot, planned),
      })),
  );
  return slots.sort((a, b) => b.generation - a.generation).at(0);
}

function positionAt(slot: Buffer, at: number): Position {
  return { segment: slot.readDoubleLE(at), offset: slot.readDoubleLE(at + 8) };
}

function endsIn(slot: Buffer, count: number): Position[] {
  return Array.from({ length: count }, (_, at) => positionAt(slot, 32 + 16 * at)).filter(({ segment }) => segment > 0);
}

function isSame(a: Position, b: Position): boolean {
  return a.segment === b.segment && a.offset === b.offset;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}
