// Counts the lines that a program has written to its output files.

import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import path from "node:path";

const lineFeed = 0x0a;

export interface Output {
  /**
   * Returns the number of lines in all files of the output. Reads only the bytes that were written since the last call
   * of this function or of `news`.
   */
  lines(): number;
  /** Returns the bytes that were written to the output since the last call of this function or of `lines`. */
  news(): string;
  /**
   * True when the first lines of the output contain the field `http_method`. This field shows that the program has
   * parsed the lines.
   */
  readonly isParsed: boolean;
}

/**
 * @param isOutput function that takes the name of a file in `folder`, and returns whether the program writes its output
 * to the file.
 */
export function outputIn(folder: string, isOutput: (name: string) => boolean): Output {
  /** Number of bytes that were read of each output file, by inode number, because output files are renamed. */
  const read = new Map<number, number>();
  const window = Buffer.alloc(1024 * 1024);
  let count = 0;
  let isParsed: boolean | undefined;
  const each = (use: (bytes: Buffer) => void) => {
    if (!existsSync(folder)) return;
    for (const name of readdirSync(folder).filter(isOutput)) {
      const descriptor = opened(path.join(folder, name));
      if (descriptor === undefined) continue;
      const { ino } = fstatSync(descriptor);
      let at = read.get(ino) ?? 0;
      for (let length = -1; length !== 0; at += length) {
        length = readSync(descriptor, window, 0, window.length, at);
        isParsed ??= length === 0 ? undefined : window.includes("http_method");
        use(window.subarray(0, length));
      }
      closeSync(descriptor);
      read.set(ino, at);
    }
  };
  const counted = (bytes: Buffer) => {
    for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count++;
  };
  return {
    get isParsed() {
      return isParsed === true;
    },
    lines: () => {
      each(counted);
      return count;
    },
    news: () => {
      let text = "";
      each((bytes) => {
        counted(bytes);
        text += bytes.toString("latin1");
      });
      return text;
    },
  };
}

/**
 * Opens a file for reading. Returns undefined when the measured program has renamed the file since the folder was
 * listed. The next call of `lines` or `news` then finds the file under its new name.
 */
function opened(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
