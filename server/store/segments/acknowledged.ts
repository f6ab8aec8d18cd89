// How many points each part of the log was told to hold: a small file that is written after every commit, so that a start can say how many points a
// lost or shortened log has cost. It is written behind the log and not synced: after a loss of power it may be behind, never ahead.

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

  /** Points by the number of their part of the log. */
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

  /** `points`: what each part of the log holds now. */
  static open(folder: string, points: Map<number, number>): Acknowledged {
    const file = openSync(path.join(folder, fileName), constants.O_RDWR | constants.O_CREAT, 0o600);
    const acknowledged = new Acknowledged(file, points);
    // A loss that was reported is not reported again by the next start.
    acknowledged.write();
    return acknowledged;
  }

  add(log: number, points: number): void {
    this.points.set(log, (this.points.get(log) ?? 0) + points);
    this.write();
  }

  /** The part of the log is packed into segments. */
  remove(log: number): void {
    this.points.delete(log);
    this.write();
  }

  private write(): void {
    const line = JSON.stringify([...this.points]);
    try {
      // Longer lines before are followed by their ends, which come behind the line that is read.
      writeSync(this.file, `${line}\n${crc32(line)}\n`, 0);
    } catch {
      // A full disk: what is counted is behind then.
    }
  }

  close(): void {
    closeSync(this.file);
  }
}
