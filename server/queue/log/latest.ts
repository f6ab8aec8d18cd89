// Keeps in memory the records that were just written, so that a consumer (reader of the queue) that keeps up need not
// read them from the file. The memory of the records is limited. A consumer that lags behind reads the file.

import type { StoredRecord } from "../types.ts";
import { isBefore, type Position } from "./cursor.ts";

/** Largest number of bytes that the records in memory may occupy. */
export const mostBytes = 8 * 1024 * 1024;
/** Estimated memory in bytes that the JavaScript objects of one record take, besides its body and metadata. */
const objectBytes = 512;

export class LatestRecords {
  /** Records in order of position, with gaps where a record found no room in memory. */
  private readonly records: StoredRecord[] = [];
  /**
   * The array buffers that contain the bodies and metadata of the records. The number beside each array buffer
   * says how many of its slices are in use. One slice keeps its whole array buffer in memory, however short the
   * slice is, so the whole array buffer counts against the memory limit.
   */
  private readonly holders = new Map<ArrayBufferLike, number>();
  private bytes = 0;

  get count(): number {
    return this.records.length;
  }

  /** Keeps a record in memory. Returns false, and does not keep the record, when there is no room. */
  add(record: StoredRecord): boolean {
    this.hold(record);
    if (this.bytes > mostBytes) {
      this.letGo(record);
      return false;
    }
    this.records.push(record);
    return true;
  }

  /**
   * Removes and returns the record that begins at `position`; undefined when that record is not in memory. Also removes
   * all records before `position`.
   */
  takeAt(position: Position): StoredRecord | undefined {
    while (this.records.length > 0 && !isBefore(position, this.records[0]!.start)) {
      const first = this.records.shift()!;
      this.letGo(first);
      if (!isBefore(first.start, position)) return first;
    }
    return undefined;
  }

  /** Puts back the record that `takeAt` returned last, so that the next call of `takeAt` can return it again. */
  giveBack(record: StoredRecord): void {
    this.records.unshift(record);
    this.hold(record);
  }

  private hold({ body, meta }: StoredRecord): void {
    this.bytes += objectBytes;
    for (const { buffer } of [body, meta]) {
      const held = this.holders.get(buffer) ?? 0;
      if (held === 0) this.bytes += buffer.byteLength;
      this.holders.set(buffer, held + 1);
    }
  }

  private letGo({ body, meta }: StoredRecord): void {
    this.bytes -= objectBytes;
    for (const { buffer } of [body, meta]) {
      const held = this.holders.get(buffer)! - 1;
      if (held > 0) this.holders.set(buffer, held);
      else {
        this.holders.delete(buffer);
        this.bytes -= buffer.byteLength;
      }
    }
  }
}
