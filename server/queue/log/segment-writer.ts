// Writes the newest segment of a queue, in a new file or over the spare (the file of an older segment, spare.ts). When
// the segment ends, the bytes of the older segment after its end are cut off.

import path from "node:path";
import type { QueueOptions, Segment, StoredRecord } from "../types.ts";
import type { QueueFile } from "./files.ts";
import { framesOf, type Pending } from "./pending.ts";
import { segmentName } from "./segment-files.ts";
import { newHeader } from "./segment-header.ts";
import type { Spare } from "./spare.ts";

export class SegmentWriter {
  readonly segment: Segment;
  private readonly options: QueueOptions;
  private readonly file: QueueFile;
  private readonly salt: number;

  private constructor(options: QueueOptions, segment: Segment, file: QueueFile, salt: number) {
    this.options = options;
    this.segment = segment;
    this.file = file;
    this.salt = salt;
  }

  /** Begins a segment. When the file system fails, throws its error and leaves no file. */
  static async begin(options: QueueOptions, spare: Spare, number: number): Promise<SegmentWriter> {
    const { files, folder, sync } = options;
    const name = segmentName(number);
    let file: QueueFile | undefined;
    try {
      const bytesBefore = await spare.take(number);
      file = await files.openOrMake(path.join(folder, name));
      // The folder is synced before the header is written. So a segment file whose header survives a loss of power is
      // also still listed in its folder. The header gets to the device together with the first frame.
      if (sync === "group") await files.syncFolder(folder);
      const { bytes, salt, header } = newHeader(number, bytesBefore);
      await file.write([bytes], 0);
      const { format } = header;
      const end = format.headerBytes;
      const none = { records: 0, points: 0, oldest: 0, damaged: false, reusable: false };
      return new SegmentWriter(options, { number, format, end, bytesBefore, ...none }, file, salt);
    } catch (error) {
      await file?.close().catch(() => {});
      await files.remove(path.join(folder, name)).catch(() => {});
      throw error;
    }
  }

  /**
   * Writes a group of records to the segment, then calls `kept` for each record. When writing fails, throws the error
   * without a call of `kept`; the caller must then not append to this segment any more.
   */
  async append(group: readonly Pending[], kept: (record: StoredRecord) => void): Promise<void> {
    const { segment, file, salt, options } = this;
    const parts = framesOf(group, salt);
    try {
      await file.write(parts, segment.end);
      if (options.sync === "group") await file.sync();
    } catch (error) {
      await this.cut().catch(() => {});
      await file.close().catch(() => {});
      throw error;
    }
    for (const { body, meta, points, time, bytes } of group) {
      const start = { segment: segment.number, offset: segment.end };
      segment.end += bytes;
      if (segment.records++ === 0) segment.oldest = time;
      segment.points += points;
      const end = { segment: segment.number, offset: segment.end };
      kept({ body, meta, points, time, start, end, wasRead: false });
    }
  }

  /** Ends the segment. Reports an error as an event and does not throw it. */
  async seal(): Promise<void> {
    const { segment, file, options } = this;
    try {
      try {
        if (bytesOf(segment) > segment.end) await this.cut();
      } finally {
        await file.close();
      }
      segment.reusable = true;
    } catch (error) {
      options.events.failed(segmentName(segment.number), error as Error);
    }
  }

  /** Cuts off the bytes after the last record: those of a failed write, and those of an older segment. */
  private async cut(): Promise<void> {
    const { segment, file, options } = this;
    await file.truncate(segment.end);
    // The file is synced before the next segment begins, because only the newest segment may have bytes of an older
    // segment after its end. In any other segment, they would be reported as damage.
    if (segment.bytesBefore > 0 && options.sync === "group") await file.sync();
    segment.bytesBefore = 0;
  }
}

/** Returns the size in bytes of a segment's file. */
export function bytesOf({ end, bytesBefore }: Segment): number {
  return Math.max(end, bytesBefore);
}
