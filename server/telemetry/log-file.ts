// A log file with rotation. A full file is renamed to `<file>.1`, an older file `<file>.1` to `<file>.2`, and so
// on; the oldest file is removed. The log file is opened again for each line, because another program may move
// or delete it at any time.

import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { shownText } from "../../lib/text/index.ts";

export interface LogFileOptions {
  readonly file: string;
  readonly maxBytes: number;
  /** Number of older log files that are kept beside the newest one; 0 = none. */
  readonly backups: number;
  /**
   * Called with each line that could not be written to the file. Before the first such line, this function is also
   * called with a line that says why writing has failed.
   */
  readonly instead: (line: string) => void;
}

/** Returns a function that writes one line to the log file. The line must end with a newline. */
export function createLogFile({ file, maxBytes, backups, instead }: LogFileOptions): (line: string) => void {
  let isFailing = false;
  const append = (line: string): void => {
    if (sizeOf(file) + Buffer.byteLength(line) > maxBytes) rotate(file, backups);
    try {
      appendFileSync(file, line, { mode: 0o640 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      mkdirSync(path.dirname(file), { recursive: true });
      appendFileSync(file, line, { mode: 0o640 });
    }
  };
  return (line) => {
    try {
      append(line);
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        instead(`${shownText(`the log cannot be written: ${(error as Error).message}; it goes on here`)}\n`);
      isFailing = true;
      instead(line);
    }
  };
}

/** Returns the size of a file in bytes; 0 when there is no such file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function rotate(file: string, backups: number): void {
  if (sizeOf(file) === 0) return;
  if (backups === 0) {
    rmSync(file);
    return;
  }
  // Older log files are renamed only up to the first number that no file has. An interrupted rotation can leave
  // such a gap between the numbers of existing files.
  let free = 1;
  while (free < backups && isThere(`${file}.${free}`)) free++;
  for (let to = free; to > 1; to--) renameSync(`${file}.${to - 1}`, `${file}.${to}`);
  renameSync(file, `${file}.1`);
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
