// Writes the newest segment of a queue. The segment is begun in a new file or in the spare (the kept file of an earlier
// segment, spare.ts). When the segment ends, bytes of the earlier segment after its end are cut off.

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
  private readonly bytesBefore: number;

  private constructor(options: QueueOptions, segment: Segment, file: QueueFile, salt: number, bytesBefore: number) {
    this.options = options;
    this.segment = segment;
    this.file = file;
    this.salt = salt;
    this.bytesBefore = bytesBefore;
  }

  /** Begins a segment. When the file system fails, throws its error and leaves no file. */
  static async begin(options: QueueOptions, spare: Spare, number: number): Promise<SegmentWriter> {
    const { files, folder, sync } = options;
    const name = segmentName(number);
    let file: QueueFile | undefined;
    try {
      const taken = await spare.take(number);
      file = taken?.file ?? (await files.openOrMake(path.join(folder, name)));
      // The folder is synced before the header is written, because a file that has the header must keep its name. The
      // header gets to the device together with the first frame.
      if (sync === "group") await files.syncFolder(folder);
      const { bytes, salt, header } = newHeader(number, taken?.bytes ?? 0);
      await file.write([bytes], 0);
      const { format, bytesBefore } = header;
      const end = format.headerBytes;
      const segment: Segment = { number, format, end, records: 0, points: 0, oldest: 0, damaged: false, failed: false };
      return new SegmentWriter(options, segment, file, salt, bytesBefore);
    } catch (error) {
      await file?.close().catch(() => {});
      await files.remove(path.join(folder, name)).catch(() => {});
      throw error;
    }
  }

  /**
   * Writes a group of records to the segment, then calls `kept` for each record. When this function throws, it has
   * called `kept` for none of them, and the caller must not append to this segment any more.
   */
  async append(group: readonly Pending[], kept: (record: StoredRecord) => void): Promise<void> {
    const { segment, file, salt, options } = this;
    const parts = framesOf(group, salt);
    try {
      await file.write(parts, segment.end);
      if (options.sync === "group") await file.sync();
    } catch (error) {
      // After a failed sync nobody knows which bytes are on the device, so the segment counts as failed.
      segment.failed = true;
      await file.truncate(segment.end).catch(() => {});
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

  /** Ends the segment. Reports errors as an event and does not throw them. */
  async seal(): Promise<void> {
    const { segment, file, bytesBefore, options } = this;
    try {
      if (segment.end < bytesBefore) {
        await file.truncate(segment.end);
        // The file is synced before the next segment begins, because only the newest segment may have old bytes after
        // its end.
        if (options.sync === "group") await file.sync();
      }
    } catch (error) {
      segment.failed = true;
      options.events.failed(segmentName(segment.number), error as Error);
    }
    await file.close().catch((error: Error) => options.events.failed(segmentName(segment.number), error));
  }
}
