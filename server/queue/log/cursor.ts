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

import type { QueueFile, QueueFiles } from "./files.ts";
import { encodeSlot, numbersIn } from "./slots.ts";

/**
 * A position in a queue: the number of a segment, and a byte offset in the file of this segment. At the offset,
 * a frame (stored record) begins or the segment ends.
 */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

interface Layout {
  /** Length in bytes of a slot, without unused bytes at its end. */
  readonly slotBytes: number;
  /**
   * The byte offsets of the two slots in the cursor file. The slots are written in turn; each contains a complete
   * copy of the position.
   */
  readonly offsets: readonly [number, number];
}

const earlier: Layout = { slotBytes: 56, offsets: [0, 64] };
const today: Layout = { slotBytes: 256, offsets: [128, 384] };
/** Offset in a slot of the first byte that its CRC covers. */
const summedFrom = 4;

/** Maximum number of batches under way (sent but not answered) whose ends fit into a slot of the cursor file. */
export const mostPlanned = 14;

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
      const { acknowledged, ends, generation } = await newestSlot(file);
      return new Cursor(file, acknowledged, ends, generation);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Reads the acknowledged position from a cursor file. Throws when the file cannot be read. */
  static async read(files: QueueFiles, path: string): Promise<Position> {
    const file = await files.open(path);
    try {
      return (await newestSlot(file)).acknowledged;
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
      const positions = [this.done, ...this.ends].flatMap(({ segment, offset }) => [segment, offset]);
      const slot = encodeSlot(today.slotBytes, summedFrom, [++this.generation, ...positions]);
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

/**
 * Reads the slots of the cursor file (copies of the position, written in turn). Returns the contents of the intact slot
 * with the highest generation (count of writes); the beginning of the queue when no slot is intact.
 */
async function newestSlot(file: QueueFile) {
  // Bytes that the file does not have stay 0. A slot of such bytes counts as damaged.
  const bytes = Buffer.alloc(today.offsets[1] + today.slotBytes);
  await file.read(bytes, 0);
  const slots = [earlier, today].flatMap(({ slotBytes, offsets }) =>
    offsets.map((at) => numbersIn(bytes.subarray(at, at + slotBytes), summedFrom)),
  );
  const [newest = [0, 0, 0]] = slots.filter((slot) => slot !== undefined).sort((a, b) => b[0] - a[0]);
  const [generation, ...numbers] = newest;
  const [acknowledged, ...planned] = Array.from({ length: Math.floor(numbers.length / 2) }, (_, at) => ({
    segment: numbers[2 * at],
    offset: numbers[2 * at + 1],
  }));
  return { generation, acknowledged, ends: planned.filter(({ segment }) => segment > 0) };
}

function isSame(a: Position, b: Position): boolean {
  return a.segment === b.segment && a.offset === b.offset;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}
