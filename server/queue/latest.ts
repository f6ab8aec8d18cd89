// Records that were written a moment ago, still in memory: a consumer that follows closely needs not read them back. They are
// few, by their bytes; a consumer that lags behind reads the file.

import { isBefore, type Position } from "./cursor.ts";
import type { StoredRecord } from "./types.ts";

/** Of the bodies together. */
const mostBytes = 2 * 1024 * 1024;

export class LatestRecords {
  /** Ascending, with gaps where there was no room. */
  private readonly records: StoredRecord[] = [];
  private bytes = 0;

  /** Left out when there is no room: those before it are read sooner. */
  add(record: StoredRecord): void {
    if (this.bytes + record.body.length > mostBytes) return;
    this.records.push(record);
    this.bytes += record.body.length;
  }

  /** The record that begins there; those before it are forgotten. */
  takeAt(position: Position): StoredRecord | undefined {
    while (this.records.length > 0 && !isBefore(position, this.records[0]!.start)) {
      const first = this.records.shift()!;
      this.bytes -= first.body.length;
      if (!isBefore(first.start, position)) return first;
    }
    return undefined;
  }

  /** What was taken last will be taken again. */
  giveBack(record: StoredRecord): void {
    this.records.unshift(record);
    this.bytes += record.body.length;
  }
}
