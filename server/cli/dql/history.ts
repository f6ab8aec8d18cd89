// Stores earlier inputs of the prompt, oldest first, one on each line, in a file that only its owner can read.

import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Largest number of inputs that the history stores. */
const most = 1000;

export class DqlHistory {
  readonly newestFirst: readonly string[];
  private readonly file: string;
  private isWritable = true;

  private constructor(file: string, newestFirst: readonly string[]) {
    this.file = file;
    this.newestFirst = newestFirst;
  }

  static open(dataDir: string): DqlHistory {
    const file = path.join(dataDir, "dql_history");
    let entries: string[] = [];
    try {
      entries = readFileSync(file, "utf8")
        .split("\n")
        .filter((entry) => entry !== "");
      chmodSync(file, 0o600);
      if (entries.length > 2 * most) writeFileSync(file, `${entries.slice(-most).join("\n")}\n`, { mode: 0o600 });
    } catch {
      // The file of the history is missing or cannot be read, so the history starts empty.
    }
    return new DqlHistory(file, [...new Set(entries.slice(-most).reverse())]);
  }

  /**
   * Adds an input to the history. When the file cannot be written, the history is switched off and the prompt goes on.
   */
  add(entry: string): void {
    if (!this.isWritable) return;
    try {
      mkdirSync(path.dirname(this.file), { recursive: true });
      appendFileSync(this.file, `${entry}\n`, { mode: 0o600 });
    } catch {
      this.isWritable = false;
    }
  }
}
