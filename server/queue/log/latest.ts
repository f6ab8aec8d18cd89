// Records that were written a moment ago, still in memory: a consumer that follows closely needs not read them back. They are
// few, by the memory that they keep from being freed; a consumer that lags behind reads the file.

import type { StoredRecord } from "../types.ts";
import { isBefore, type Position } from "./cursor.ts";

/** Of all that the records keep. */
export const mostBytes = 8 * 1024 * 1024;
/** What the objects of one record take, besides the memory that body and meta lie in. */
const objectBytes = 512;

export class LatestRecords {
  /** Ascending, with gaps where there was no room. */
  private readonly records: StoredRecord[] = [];
  /** The memory that bodies and meta lie in, by the number of these: a slice keeps all of it, whatever its own length. */
  private readonly holders = new Map<ArrayBufferLike, number>();
  private bytes = 0;

  get count(): number {
    return this.records.length;
  }

  /** False when there is no room: it is left out, those before it are read sooner. */
  add(record: StoredRecord): boolean {
    this.hold(record);
    if (this.bytes > mostBytes) {
      this.letGo(record);
      return false;
    }
    this.records.push(record);
    return true;
  }

  /** The record that begins there; those before it are forgotten. */
  takeAt(position: Position): StoredRecord | undefined {
    while (this.records.length > 0 && !isBefore(position, this.records[0]!.start)) {
      const first = this.records.shift()!;
      this.letGo(first);
      if (!isBefore(first.start, position)) return first;
    }
    return undefined;
  }

  /** What was taken last will be taken again. */
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
