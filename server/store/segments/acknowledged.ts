// Remembers how many points of each part of the log were acknowledged to senders. With these counts the next
// start can say how many points were lost when a part of the log is missing or shortened. The counts are in a
// small file that is written after every commit to the log and is not synced to the disk. So after a loss of
// power the counts may be too low, but never too high.

import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";

const fileName = "acknowledged";

export class Acknowledged {
  private readonly file: number;
  private readonly points: Map<number, number>;

  private constructor(file: number, points: Map<number, number>) {
    this.file = file;
    this.points = points;
  }

  /** Returns the number of acknowledged points, by the number of the log part. */
  static read(folder: string): Map<number, number> {
    let text = "";
    try {
      text = readFileSync(path.join(folder, fileName), "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    const [line = "", sum = ""] = text.split("\n");
    if (line === "" || String(crc32(line)) !== sum) return new Map();
    return new Map(JSON.parse(line) as [number, number][]);
  }

  /**
   * Opens the file that holds the counts of acknowledged points. `points`: the current number of points in each part of
   * the log.
   */
  static open(folder: string, points: Map<number, number>): Acknowledged {
    const file = openSync(path.join(folder, fileName), constants.O_RDWR | constants.O_CREAT, 0o600);
    const acknowledged = new Acknowledged(file, points);
    // The current counts of acknowledged points are written at once. Otherwise the next start would compare the log
    // with the old counts again, and would report the same lost points a second time.
    acknowledged.write();
    return acknowledged;
  }

  add(log: number, points: number): void {
    this.points.set(log, (this.points.get(log) ?? 0) + points);
    this.write();
  }

  /** Removes the count of a log part whose points are in segments (Parquet files) now. */
  remove(log: number): void {
    this.points.delete(log);
    this.write();
  }

  private write(): void {
    const line = JSON.stringify([...this.points]);
    try {
      // The new line overwrites the old line in the file. When the old line was longer, its end remains after the new
      // line. Readers ignore this remainder, because they read only the first line and its checksum.
      writeSync(this.file, `${line}\n${crc32(line)}\n`, 0);
    } catch {
      // When the disk is full, the counts in the file stay too low. A later loss is then reported with too few points,
      // which is acceptable.
    }
  }

  close(): void {
    closeSync(this.file);
  }
}
