// The spare of a queue: the file of a segment whose records every consumer has acknowledged. It is kept under the name
// `spare`, and the next segment is written over it. So the file system need not free the blocks of one file and find
// blocks for another, and a sync writes no metadata. An error with the spare is not reported: the next segment is then
// written to a new file, which shows whether the disk works.

import path from "node:path";
import type { QueueOptions, Segment } from "../types.ts";
import { segmentName } from "./segment-files.ts";

export const spareName = "spare";

export class Spare {
  /** Size in bytes of the spare (the file that is kept for the next segment); 0 when there is none. */
  bytes = 0;
  /** Resolves when the latest operation on the file has ended. Only then does the next operation start. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly options: QueueOptions;

  constructor(options: QueueOptions) {
    this.options = options;
  }

  /**
   * Makes the file of a segment the spare, which the next segment overwrites. Returns false when the file is not kept:
   * there is a spare already, the size of the file is unusual, or the file cannot be renamed.
   */
  async keep({ number, end }: Segment): Promise<boolean> {
    const { segmentBytes } = this.options;
    if (this.bytes > 0 || end < segmentBytes / 2 || end > segmentBytes * 2) return false;
    // The size is set before the file is renamed, so that a second call does not keep another file.
    this.bytes = end;
    return await this.rename(segmentName(number), spareName, end);
  }

  /** Gives the spare the name of the segment `number`. Returns the size of the file in bytes; 0 when there is none. */
  async take(number: number): Promise<number> {
    const { bytes } = this;
    return bytes > 0 && (await this.rename(spareName, segmentName(number), 0)) ? bytes : 0;
  }

  /** Removes the spare. Never rejects. */
  remove(): Promise<void> {
    return this.afterEarlier(() => this.removeNow());
  }

  /** Renames a file, after which the spare has `bytes` bytes. After an error, removes the spare and returns false. */
  private rename(from: string, to: string, bytes: number): Promise<boolean> {
    const { files, folder } = this.options;
    return this.afterEarlier(async () => {
      try {
        await files.rename(path.join(folder, from), path.join(folder, to));
        this.bytes = bytes;
        return true;
      } catch {
        await this.removeNow();
        return false;
      }
    });
  }

  private async removeNow(): Promise<void> {
    if (this.bytes === 0) return;
    try {
      await this.options.files.remove(path.join(this.options.folder, spareName));
      this.bytes = 0;
    } catch {
      // The spare still counts, so that the next call tries again.
    }
  }

  /** Runs `work` when the earlier operations on the file have ended. `work` must never reject. */
  private afterEarlier<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done;
    return done;
  }
}
