// The spare of a queue: the file of a segment that all consumers have acknowledged, kept to become the next segment.
// Overwriting a file costs less than appending to a new file: its size and blocks stay the same, so a sync writes no
// metadata, and its pages are in memory. The queue also works without a spare: after any error the spare is removed and
// a new file is made. The error of the new file then shows what is wrong with the disk.

import path from "node:path";
import type { QueueOptions, Segment } from "../types.ts";
import type { QueueFile } from "./files.ts";
import { segmentName } from "./segment-files.ts";

export const spareName = "spare";

export class Spare {
  /** Size in bytes of the spare (the file kept to become the next segment); 0 when there is none. */
  bytes = 0;
  private ended = false;
  /** Resolves when the last operation on the spare has ended. The next operation starts after that. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly options: QueueOptions;

  constructor(options: QueueOptions) {
    this.options = options;
  }

  /**
   * Makes the file of a segment that nobody reads or writes any more the spare (the file kept to become the next
   * segment). Returns false when the file is not kept; the caller must then remove the file.
   */
  async keep({ number, format, end, failed }: Segment): Promise<boolean> {
    const { segmentBytes } = this.options;
    // A file that a huge record has made much larger than usual is not worth keeping. A file of format 1 to 3 cannot be
    // kept, because its old frames (stored records) would be taken for new ones.
    const isWorthIt = end >= segmentBytes / 2 && end <= segmentBytes * 2 && format.version >= 4 && !failed;
    if (!isWorthIt || this.bytes > 0 || this.ended) return false;
    // The size is set before the file is renamed, so that a second call does not keep another file.
    this.bytes = end;
    return await this.afterEarlier(async () => {
      const isKept = await this.rename(segmentName(number), spareName);
      if (!isKept) this.bytes = 0;
      return isKept;
    });
  }

  /**
   * Turns the spare into the file of the segment `number` and opens it. Returns undefined when there is no spare or it
   * cannot be used.
   */
  async take(number: number): Promise<{ readonly file: QueueFile; readonly bytes: number } | undefined> {
    return await this.afterEarlier(async () => {
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
    await this.afterEarlier(() => this.removeNow());
  }

  /** Removes the spare. After this call, `keep` always returns false. */
  async end(): Promise<void> {
    this.ended = true;
    await this.remove();
  }

  private async removeNow(): Promise<void> {
    if (this.bytes === 0) return;
    await this.options.files.remove(path.join(this.options.folder, spareName)).catch(() => {});
    this.bytes = 0;
  }

  /** Runs `work` when the earlier operations on the spare have ended. `work` must never reject. */
  private afterEarlier<T>(work: () => Promise<T>): Promise<T> {
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
