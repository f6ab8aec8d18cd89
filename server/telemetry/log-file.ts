// A log that is kept in a file: when it has reached its size it becomes `<file>.1`, that one `<file>.2`, and so on; the oldest goes.
// The file is opened for each line: it may be moved away or deleted at any time.

import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { shownText } from "../../lib/point/shown-text.ts";

export interface LogFileOptions {
  readonly file: string;
  readonly maxBytes: number;
  /** Renamed files that are kept; 0 = none. */
  readonly backups: number;
  /** Takes the lines that cannot be written, and the reason before the first of them. */
  readonly instead: (line: string) => void;
}

/** Gives what takes one finished line with its newline. */
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

/** 0 when there is no such file. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function rotate(file: string, backups: number): void {
  if (sizeOf(file) === 0) return;
  if (backups === 0) {
    rmSync(file);
    return;
  }
  // The files up to the first name that is free move up: where a rotation could not be ended, the next one goes on in its gap.
  let free = 1;
  while (free < backups && isThere(`${file}.${free}`)) free++;
  for (let to = free; to > 1; to--) renameSync(`${file}.${to - 1}`, `${file}.${to}`);
  renameSync(file, `${file}.1`);
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}
