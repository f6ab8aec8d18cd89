// Splits the bytes of a file into events. An event is one line, or a group of lines whose first line matches a regular
// expression. The functions keep no state between calls. The caller keeps the position at which reading continues: an
// offset, and whether the remainder of a too long event is to be dropped from there on.

import type { Encoding } from "./encoding.ts";

/** A position in a file from which reading continues. */
export interface Place {
  /** Offset of the position in bytes from the start of the file. */
  readonly offset: number;
  /**
   * Says whether bytes are dropped from `offset` on. Empty: none are dropped. The other values mean that the event
   * before `offset` was cut because it was too long. `line`: the remainder of that event's line is dropped.
   * `event`: all lines up to the next line that begins an event are dropped.
   */
  readonly dropping: "" | "line" | "event";
  /**
   * For a container log: the positions from which reading continues in single streams (stdout or stderr). Contains only
   * the streams that were read beyond `offset` or whose current line is being dropped.
   */
  readonly streams?: readonly StreamPlace[];
}

/**
 * The position from which reading of one output stream (stdout or stderr) of a container log continues
 * (container/parse-record.ts).
 */
export interface StreamPlace {
  readonly stream: 0 | 1 | 2;
  /** Offset in bytes from the start of the file. Earlier records of the stream are skipped. */
  readonly offset: number;
  readonly dropping: "" | "line" | "event";
}

export function isSamePlace(left: Place, right: Place): boolean {
  return (
    left.offset === right.offset &&
    left.dropping === right.dropping &&
    JSON.stringify(left.streams) === JSON.stringify(right.streams)
  );
}

export interface SplitOptions {
  readonly encoding: Encoding;
  /** Largest length of an event, in bytes of the file. A longer event is cut. */
  readonly mostBytes: number;
  /** Returns whether a line begins an event; undefined when each line is an event. */
  readonly beginsEvent: ((line: Uint8Array) => boolean) | undefined;
  /**
   * The part of an unfinished last event that counts as complete. `no`: none, because the writer may continue the
   * event. `lines`: its finished lines, because nothing was written for a while. `all`: all its bytes, because nobody
   * writes the file any more.
   */
  readonly isComplete: "no" | "lines" | "all";
  /**
   * Called for each event: the bytes `[start, end)` of the window (the bytes that were read). `isCut`: whether the
   * event was too long. Returns whether to continue with the next event.
   */
  take(start: number, end: number, isCut: boolean): boolean;
}

/**
 * Splits `window` (the bytes of a file from the position `from` on) and passes each event to `take`. Returns the
 * position after the last event that was passed. When the window is longer than `mostBytes` plus a line feed, the
 * returned position is always after `from`.
 */
export function splitEvents(window: Uint8Array, from: Place, options: SplitOptions): Place {
  return new Splitter(window, from, options).run();
}

class Splitter {
  private at: number;
  private dropping: Place["dropping"];
  private readonly window: Uint8Array;
  private readonly from: Place;
  private readonly options: SplitOptions;
  private takesMore = true;

  constructor(window: Uint8Array, from: Place, options: SplitOptions) {
    this.window = window;
    this.from = from;
    this.options = options;
    this.dropping = from.dropping;
    this.at = from.offset === 0 ? markLength(window, options.encoding) : 0;
  }

  run(): Place {
    const { beginsEvent } = this.options;
    while (this.takesMore && this.at < this.window.length) {
      if (this.dropping === "line" && !this.dropLine()) break;
      if (this.dropping === "event" && !this.dropEvent(beginsEvent!)) break;
      this.skipZeros();
      if (!(beginsEvent === undefined ? this.takeLine() : this.takeLines(beginsEvent))) break;
    }
    return { offset: this.from.offset + this.at, dropping: this.dropping };
  }

  /** Drops the rest of the current line. Returns whether the line ends within the window (the bytes that were read). */
  private dropLine(): boolean {
    const { window, options } = this;
    const { encoding, beginsEvent } = options;
    const end = encoding.lineFeed(window, this.at, window.length);
    if (end < 0) {
      this.at = window.length - ((window.length - this.at) % encoding.width);
      return false;
    }
    this.at = end + encoding.width;
    this.dropping = beginsEvent === undefined ? "" : "event";
    return true;
  }

  /**
   * Drops lines up to the next line that begins an event. Returns whether the window (the bytes that were read) has
   * such a line.
   */
  private dropEvent(beginsEvent: (line: Uint8Array) => boolean): boolean {
    for (;;) {
      const line = this.lineAt(this.at);
      if (line === undefined) {
        // The line does not end within the window (the bytes that were read) and is longer than an event may be. So it
        // is dropped like the lines before it, even if it begins an event.
        if (this.window.length - this.at > this.options.mostBytes) {
          this.dropping = "line";
          return this.dropLine();
        }
        if (this.options.isComplete === "all") this.at = this.window.length;
        return false;
      }
      if (beginsEvent(this.bytesOf(this.at, line.end))) {
        this.dropping = "";
        return true;
      }
      this.at = line.next;
    }
  }

  /**
   * Skips NUL bytes before an event. When a file is truncated but its writer continues at its old offset, the file
   * begins with NUL bytes in place of the removed bytes.
   */
  private skipZeros(): void {
    const { window } = this;
    if (this.options.encoding.width === 1) {
      while (window[this.at] === 0) this.at++;
    } else {
      while (window[this.at] === 0 && window[this.at + 1] === 0) this.at += 2;
    }
  }

  /**
   * Passes the next line to `take` as an event. Returns whether the window (the bytes that were read) may have another
   * event.
   */
  private takeLine(): boolean {
    const { window, at, options } = this;
    const line = this.lineAt(at);
    if (line !== undefined) {
      this.at = line.next;
      this.take(at, line.end);
      return true;
    }
    if (this.isTooLong(window.length - at)) {
      this.take(at, window.length);
      this.dropping = "line";
      return true;
    }
    if (options.isComplete === "all") {
      this.at = window.length;
      this.take(at, window.length);
    }
    return false;
  }

  /**
   * Passes the next lines to `take` as one event. Returns whether the window (the bytes that were read) may have
   * another event.
   */
  private takeLines(beginsEvent: (line: Uint8Array) => boolean): boolean {
    const { window, at: start, options } = this;
    let end = start;
    for (let at = start; ; ) {
      const line = this.lineAt(at);
      const limit = line?.end ?? window.length;
      if (line !== undefined && at > start && beginsEvent(this.bytesOf(at, line.end))) {
        this.at = at;
        this.take(start, end);
        return true;
      }
      if (line === undefined ? this.isTooLong(limit - start) : limit - start > options.mostBytes) {
        this.take(start, limit);
        this.at = line?.next ?? window.length;
        this.dropping = line === undefined ? "line" : "event";
        return true;
      }
      if (line === undefined) return this.endOfWindow(start, at, end);
      end = line.end;
      at = line.next;
    }
  }

  /**
   * Handles an event that is not finished when the window (the bytes that were read) ends. Passes to `take` the
   * part of the event that `options.isComplete` counts as complete. `end`: the offset after the text of the
   * event's last finished line. `at`: the offset after the line break (LF or CR LF) that follows this text.
   */
  private endOfWindow(start: number, at: number, end: number): boolean {
    const { window, options } = this;
    if (options.isComplete === "all") {
      this.at = window.length;
      this.take(start, at < window.length ? window.length : end);
    } else if (options.isComplete === "lines" && at > start) {
      this.at = at;
      this.take(start, end);
    }
    return false;
  }

  /**
   * Returns whether an event with an unfinished last line is too long. One more character is allowed, since the last
   * character may be a carriage return, which does not belong to the event.
   */
  private isTooLong(bytes: number): boolean {
    return bytes > this.options.mostBytes + this.options.encoding.width;
  }

  private take(start: number, end: number): void {
    const { encoding, mostBytes, take } = this.options;
    const isCut = end - start > mostBytes;
    const to = isCut ? encoding.cutAt(this.window, start, start + mostBytes) : end;
    if (to > start) this.takesMore = take(start, to, isCut);
  }

  /**
   * Returns the end of the line that begins at `at`, and the start of the next line; undefined when the line does not
   * end within the window (the bytes that were read).
   */
  private lineAt(at: number): { readonly end: number; readonly next: number } | undefined {
    const { encoding } = this.options;
    const found = encoding.lineFeed(this.window, at, this.window.length);
    if (found < 0) return undefined;
    const end = encoding.endsWithReturn(this.window, at, found) ? found - encoding.width : found;
    return { end, next: found + encoding.width };
  }

  /** Returns the part of a line, in UTF-8, that is compared with the regular expression for the start of an event. */
  private bytesOf(start: number, end: number): Uint8Array {
    const { encoding, mostBytes } = this.options;
    return encoding.utf8(this.window.subarray(start, Math.min(end, start + mostBytes)));
  }
}

/** Returns the length of the byte order mark at the start of a file; 0 when there is none. */
function markLength(window: Uint8Array, { byteOrderMark }: Encoding): number {
  const { length } = byteOrderMark;
  return length > 0 && byteOrderMark.every((byte, at) => window[at] === byte) ? length : 0;
}
