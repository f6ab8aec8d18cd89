// Reads the lines of a file while another program writes to the file. Continues reading when the file is
// replaced by another file or emptied.

import { type FileHandle, stat } from "node:fs/promises";
import { encodingOf } from "../../agent/inputs/tail/encoding.ts";
import { type Place, splitEvents } from "../../agent/inputs/tail/split-events.ts";
import { openFile } from "../../agent/inputs/tail/tailed-file.ts";
import { UsageError } from "../usage-error.ts";

/** Length in bytes of the longest line that is read; a longer line is cut to this length. */
const mostLineBytes = 256 * 1024;
/**
 * The number of bytes that the buffer for reading has in addition to the bytes of the longest line
 * (`mostLineBytes`).
 */
const readBytes = 256 * 1024;
/** Number of bytes at the start of a file from which lines are taken to choose a script. */
const headBytes = 64 * 1024;
const lineFeed = 0x0a;

const utf8 = encodingOf("utf-8");
const start: Place = { offset: 0, dropping: "" };

export class FollowedFile {
  readonly path: string;
  private handle: FileHandle;
  private place: Place = start;
  private readonly window = Buffer.alloc(mostLineBytes + readBytes);

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.handle = handle;
  }

  /** Opens a file. `lines`: number of existing lines at the end of the file to read first; undefined = all lines. */
  static async open(path: string, lines: number | undefined): Promise<FollowedFile> {
    const handle = await openFile(path).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(error.code === "ENOENT" ? `there is no file ${path}` : `${path}: ${error.message}`);
    });
    if (handle === undefined) throw new UsageError(`${path} is no file`);
    const file = new FollowedFile(path, handle);
    if (lines !== undefined) file.place = { offset: await lastLines(handle, lines), dropping: "" };
    return file;
  }

  /** Returns some lines from the start of the file, so that scripts can be tried on them. */
  async head(): Promise<string[]> {
    const bytes = Buffer.alloc(headBytes);
    const { bytesRead } = await this.handle.read(bytes, 0, headBytes, 0);
    return this.linesIn(bytes.subarray(0, bytesRead), start, bytesRead < headBytes).lines;
  }

  /**
   * Returns the next lines of the file, at most about 512 KiB in total, or an empty list when nothing new was
   * written. `isLast`: true when the caller will not read again; an unfinished line at the end of the file is then
   * returned too.
   */
  async next(isLast = false): Promise<string[]> {
    const lines = await this.read(isLast);
    if (lines.length > 0 || isLast) return lines;
    // The followed file may have been renamed, and a new file may have its old name. In this case this call returns
    // the last lines of the renamed file, and the next call reads the new file.
    const [open, there] = await Promise.all([this.handle.stat(), stat(this.path).catch(() => undefined)]);
    if (there === undefined || (open.ino === there.ino && open.dev === there.dev)) return [];
    const rest = await this.read(true);
    const next = await openFile(this.path).catch(() => undefined);
    if (next === undefined) return rest;
    await this.handle.close();
    this.handle = next;
    this.place = start;
    return rest;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  private async read(isLast: boolean): Promise<string[]> {
    const { size } = await this.handle.stat();
    if (size < this.place.offset) this.place = start;
    const { bytesRead } = await this.handle.read(this.window, 0, this.window.length, this.place.offset);
    const isAll = isLast && bytesRead < this.window.length;
    const { lines, end } = this.linesIn(this.window.subarray(0, bytesRead), this.place, isAll);
    this.place = end;
    return lines;
  }

  private linesIn(bytes: Buffer, from: Place, isAll: boolean): { lines: string[]; end: Place } {
    const lines: string[] = [];
    const end = splitEvents(bytes, from, {
      encoding: utf8,
      mostBytes: mostLineBytes,
      beginsEvent: undefined,
      isComplete: isAll ? "all" : "no",
      take: (start, to) => {
        lines.push(bytes.toString("utf8", start, to));
        return true;
      },
    });
    return { lines, end };
  }
}

/** Returns the offset at which the last `count` lines of a file begin. */
async function lastLines(handle: FileHandle, count: number): Promise<number> {
  const { size } = await handle.stat();
  const chunk = Buffer.alloc(64 * 1024);
  // A line feed at the very end of the file does not begin another line, so it is not counted.
  let missing = count;
  for (let to = size; to > 0; ) {
    const from = Math.max(0, to - chunk.length);
    const { bytesRead } = await handle.read(chunk, 0, to - from, from);
    for (let at = bytesRead - 1; at >= 0; at--) {
      if (chunk[at] !== lineFeed || from + at === size - 1) continue;
      if (--missing <= 0) return count === 0 ? size : from + at + 1;
    }
    to = from;
  }
  return count === 0 ? size : 0;
}
