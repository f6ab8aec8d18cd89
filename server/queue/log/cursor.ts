// The cursor file of a consumer (reader of a queue). It holds the position in the queue up to which the consumer has
// acknowledged all records. The file has two slots that are written in turn, so a slot that a crash tears leaves the
// other one intact. After a loss of power a slot may be older than the last acknowledged position, never newer. So
// records may be delivered again, but none is lost.
//
//   slot of 256 bytes  0 u32 CRC-32 of bytes 4..256   8 f64 generation (count of writes)
//                      16 f64 segment   24 f64 offset
//                      32 fourteen times f64 segment and f64 offset: the ends of the batches under way (0 = none)
//
// Files of earlier versions have two slots of 64 bytes at their beginning, each with one batch end and a CRC-32 of
// bytes 4..56. This code reads these slots and leaves them in place; the current slots lie after them.

import { crc32 } from "node:zlib";
import type { QueueFile, QueueFiles } from "./files.ts";

/**
 * A position in a queue: the number of a segment, and a byte offset in the segment's file. The offset lies at the start
 * of a frame (stored record) or at the end of the segment.
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
   * Byte offsets in the cursor file of its two slots, which are written in turn and each hold a whole copy of the
   * position.
   */
  readonly offsets: readonly [number, number];
}

const earlier: Layout = { slotBytes: 64, summedBytes: 56, planned: 1, offsets: [0, 64] };
const today: Layout = { slotBytes: 256, summedBytes: 256, planned: 14, offsets: [128, 384] };

/** Largest number of batches under way (sent but not answered) whose ends the cursor file can hold. */
export const mostPlanned = today.planned;

export class Cursor {
  private done: Position;
  private ends: readonly Position[];
  private generation: number;
  private readonly file: QueueFile;
  /** Resolves when the last write to the file has ended. The next write starts after that. */
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
   * The ends, in order, of the batches that were sent but not answered when the process ended. The batches that are
   * sent next must end at the same positions, so that they have the same records and the same ids as before.
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
   * Writes the current position to the file, without a sync. Calls made before a write begins share that write. Never
   * rejects.
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
      // Errors are ignored: a cursor that cannot be written (full disk) causes repeated records after a crash, and no
      // other harm.
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
 * Returns the newer intact one of the cursor file's two slots (copies of the position, written in turn): the one with
 * the higher generation (count of writes). Returns undefined when both slots are empty or torn.
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
