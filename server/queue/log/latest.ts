// Records that were written a moment ago and are still in memory, so that a consumer that keeps up need not read them
// from the file. The memory that the records hold is limited. A consumer that lags behind reads the file.

import type { StoredRecord } from "../types.ts";
import { isBefore, type Position } from "./cursor.ts";

/** Limit of the memory that the records hold, in bytes. */
export const mostBytes = 8 * 1024 * 1024;
/** Bytes for the objects of one record, without the memory of body and meta. */
const objectBytes = 512;

export class LatestRecords {
  /** Records in order of position, with gaps where there was no room. */
  private readonly records: StoredRecord[] = [];
  /**
   * Each array buffer that bodies and metas lie in, with the number of slices that use it. One slice holds the whole
   * array buffer in memory, whatever the length of the slice.
   */
  private readonly holders = new Map<ArrayBufferLike, number>();
  private bytes = 0;

  get count(): number {
    return this.records.length;
  }

  /** Keeps a record. Returns false, and does not keep the record, when there is no room. */
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
   * Removes and returns the record that begins at `position`; undefined when it is not here. Also removes all records
   * before `position`.
   */
  takeAt(position: Position): StoredRecord | undefined {
    while (this.records.length > 0 && !isBefore(position, this.records[0]!.start)) {
      const first = this.records.shift()!;
      this.letGo(first);
      if (!isBefore(first.start, position)) return first;
    }
    return undefined;
  }

  /** Puts back the record that `takeAt` returned last, so that it is taken again. */
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
