// How far a consumer of a queue has come, in a file of two slots that are written in turn: a slot that was torn by a
// crash leaves the other. A slot is older than the truth after a power loss, never newer: records come again, none is lost.
//
//   slot of 64 bytes   0 u32 CRC-32 of bytes 4..56   8 f64 generation   16 f64 segment   24 f64 offset
//                      32 f64 segment and 40 f64 offset where the batch that was under way ends (0 = none)
//                      48 f64 reserved

import { crc32 } from "node:zlib";
import type { QueueFile, QueueFiles } from "./files.ts";

/** A place in a queue; `offset` lies at the start of a frame or at the end of a segment. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

const slotBytes = 64;

export class Cursor {
  /** Everything before it is done. */
  acknowledged: Position;
  /** Where the batch under way when the process ended had its end: the next batch must end there, to be the same. */
  planned: Position | undefined;
  private generation: number;
  private readonly file: QueueFile;
  /** Writes follow each other. */
  private last: Promise<void> = Promise.resolve();
  private dirty = false;

  private constructor(file: QueueFile, acknowledged: Position, planned: Position | undefined, generation: number) {
    this.file = file;
    this.acknowledged = acknowledged;
    this.planned = planned;
    this.generation = generation;
  }

  static async open(files: QueueFiles, path: string): Promise<Cursor> {
    const file = await files.openOrMake(path);
    const slot = await newestSlot(file);
    if (slot === undefined) return new Cursor(file, beginning, undefined, 0);
    return new Cursor(file, slot.acknowledged, slot.planned, slot.generation);
  }

  /** How far the consumer of a cursor file has come. */
  static async read(files: QueueFiles, path: string): Promise<Position> {
    const file = await files.open(path);
    try {
      return (await newestSlot(file))?.acknowledged ?? beginning;
    } finally {
      await file.close();
    }
  }

  /** Writes what stands in the fields, not waiting for the device; calls while one is under way become one. */
  save(): Promise<void> {
    if (this.dirty) return this.last;
    this.dirty = true;
    this.last = this.last.then(async () => {
      this.dirty = false;
      const slot = Buffer.alloc(slotBytes);
      slot.writeDoubleLE(++this.generation, 8);
      slot.writeDoubleLE(this.acknowledged.segment, 16);
      slot.writeDoubleLE(this.acknowledged.offset, 24);
      slot.writeDoubleLE(this.planned?.segment ?? 0, 32);
      slot.writeDoubleLE(this.planned?.offset ?? 0, 40);
      slot.writeUInt32LE(crc32(slot.subarray(4, 56)), 0);
      // A cursor that cannot be written (full disk) costs repeats after a crash, nothing else.
      await this.file.write([slot], (this.generation % 2) * slotBytes).catch(() => {});
    });
    return this.last;
  }

  async close(): Promise<void> {
    await this.save();
    await this.file.sync().catch(() => {});
    await this.file.close();
  }
}

const beginning: Position = { segment: 0, offset: 0 };

/** Undefined when both slots are empty or torn. */
async function newestSlot(file: QueueFile) {
  const bytes = Buffer.alloc(2 * slotBytes);
  const filled = await file.read(bytes, 0);
  const slots = [0, slotBytes]
    .filter((at) => at + slotBytes <= filled && crc32(bytes.subarray(at + 4, at + 56)) === bytes.readUInt32LE(at))
    .map((at) => {
      const position = (from: number): Position => ({
        segment: bytes.readDoubleLE(at + from),
        offset: bytes.readDoubleLE(at + from + 8),
      });
      const planned = position(32);
      return {
        generation: bytes.readDoubleLE(at + 8),
        acknowledged: position(16),
        planned: planned.segment === 0 ? undefined : planned,
      };
    });
  return slots.sort((a, b) => b.generation - a.generation).at(0);
}

export function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
}
