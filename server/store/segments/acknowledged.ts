// Counts the points that each part of the log has acknowledged, in a small file that is written after every commit,
// so that the next start can say how many points a lost or shortened log has cost. The file is written after the log
// and is not synced: after a loss of power its counts may be too low, never too high.

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

  /** Returns the number of points of each part of the log, by the part's number. */
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

  /** Opens the file. `points`: the current number of points in each part of the log. */
  static open(folder: string, points: Map<number, number>): Acknowledged {
    const file = openSync(path.join(folder, fileName), constants.O_RDWR | constants.O_CREAT, 0o600);
    const acknowledged = new Acknowledged(file, points);
    // The counts are written now, so that the next start does not report the same loss again.
    acknowledged.write();
    return acknowledged;
  }

  add(log: number, points: number): void {
    this.points.set(log, (this.points.get(log) ?? 0) + points);
    this.write();
  }

  /** Forgets a part of the log, because its points are in segments now. */
  remove(log: number): void {
    this.points.delete(log);
    this.write();
  }

  private write(): void {
    const line = JSON.stringify([...this.points]);
    try {
      // A longer old line may leave its end in the file. Readers ignore it, because it follows the new line and its
      // checksum.
      writeSync(this.file, `${line}\n${crc32(line)}\n`, 0);
    } catch {
      // The disk is full. The counts stay too low then.
    }
  }

  close(): void {
    closeSync(this.file);
  }
}
