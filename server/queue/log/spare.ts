// The spare of a queue: the file of a segment that all consumers have passed, kept to become the next segment. To overwrite a file costs
// less than to append to a new one: neither its size nor its blocks change, so that a sync writes no metadata, and its pages are there.
// A spare is a saving, never needed: whatever fails on its way, it is removed and a new file made, which tells what is wrong with the disk.

import path from "node:path";
import type { QueueOptions, Segment } from "../types.ts";
import type { QueueFile } from "./files.ts";
import { segmentName } from "./segment-files.ts";

export const spareName = "spare";

export class Spare {
  /** Of the file; 0: there is none. */
  bytes = 0;
  private ended = false;
  /** What is done with the file, one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly options: QueueOptions;

  constructor(options: QueueOptions) {
    this.options = options;
  }

  /** Keeps the file of a segment that nobody reads or writes any more; false when it is still there, to be removed. */
  async keep({ number, format, end, failed }: Segment): Promise<boolean> {
    const { segmentBytes } = this.options;
    // One record can be as large as it wants: its file is not worth its room. In a file of an earlier format old frames would be frames.
    const isWorthIt = end >= segmentBytes / 2 && end <= segmentBytes * 2 && format.version >= 4 && !failed;
    if (!isWorthIt || this.bytes > 0 || this.ended) return false;
    // From now on, so that no other is kept beside it.
    this.bytes = end;
    return await this.inTurn(async () => {
      const isKept = await this.rename(segmentName(number), spareName);
      if (!isKept) this.bytes = 0;
      return isKept;
    });
  }

  /** The spare under the name of a segment; undefined when there is none. */
  async take(number: number): Promise<{ readonly file: QueueFile; readonly bytes: number } | undefined> {
    return await this.inTurn(async () => {
      if (this.bytes === 0) return undefined;
      const name = segmentName(number);
      if (!(await this.rename(spareName, name))) {
        await this.removeNow();
        return undefined;
      }
      this.bytes = 0;
      const { files, folder } = this.options;
      const to = path.join(folder, name);
      try {
        const bytes = await files.size(to);
        return { file: await files.open(to), bytes };
      } catch {
        await files.remove(to).catch(() => {});
        return undefined;
      }
    });
  }

  async remove(): Promise<void> {
    await this.inTurn(() => this.removeNow());
  }

  /** Removes it; none is kept any more. */
  async end(): Promise<void> {
    this.ended = true;
    await this.remove();
  }

  private async removeNow(): Promise<void> {
    if (this.bytes === 0) return;
    await this.options.files.remove(path.join(this.options.folder, spareName)).catch(() => {});
    this.bytes = 0;
  }

  /** `work` never rejects. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done;
    return done;
  }

  private async rename(from: string, to: string): Promise<boolean> {
    const { files, folder } = this.options;
    try {
      await files.rename(path.join(folder, from), path.join(folder, to));
      return true;
    } catch {
      return false;
    }
  }
}
