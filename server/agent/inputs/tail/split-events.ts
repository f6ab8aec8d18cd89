// Splits the bytes of a file into events: lines, or groups of lines of which each begins with a line that a regular
// expression finds. The functions keep no state. The whole state is a place in the file, so that reading can go on from
// any place that was saved.

import type { Encoding } from "./encoding.ts";

/** A place in a file from which reading goes on. */
export interface Place {
  /** Offset in bytes from the start of the file. */
  readonly offset: number;
  /**
   * The part of a too long event that is dropped from here on: nothing, the rest of a line, or all lines up to the next
   * one that begins an event.
   */
  readonly dropping: "" | "line" | "event";
}

export interface SplitOptions {
  readonly encoding: Encoding;
  /** Longest event, in bytes of the file. */
  readonly mostBytes: number;
  /** Returns whether a line begins an event; undefined when each line is an event. */
  readonly beginsEvent: ((line: Uint8Array) => boolean) | undefined;
  /**
   * Whether an event at the end of the window is complete. `no`: the writer may add to it. `lines`: its ended lines are
   * complete, because nothing was written for a while. `all`: all its bytes are, because nobody writes the file any more.
   */
  readonly isComplete: "no" | "lines" | "all";
  /** Takes the bytes `[start, end)` as one event. Returns whether it takes more. */
  take(start: number, end: number, isCut: boolean): boolean;
}

/**
 * Splits `window`, the bytes of a file from the place `from` on, and passes each event to `take`. Returns the place
 * after the last event that was taken. The place moves on when the window holds more than `mostBytes` and a line feed.
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

  /** Drops the rest of a line. Returns whether it has ended. */
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

  /** Drops lines up to the next that begins an event. Returns whether there is one. */
  private dropEvent(beginsEvent: (line: Uint8Array) => boolean): boolean {
    for (;;) {
      const line = this.lineAt(this.at);
      if (line === undefined) {
        // A line that is too long to be complete in any window is dropped with the event.
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
   * Skips NULs before an event. A file that was emptied while its writer kept its place begins with as many NULs as it
   * had bytes.
   */
  private skipZeros(): void {
    const { window } = this;
    if (this.options.encoding.width === 1) {
      while (window[this.at] === 0) this.at++;
    } else {
      while (window[this.at] === 0 && window[this.at + 1] === 0) this.at += 2;
    }
  }

  /** Takes the next line as an event. Returns whether there may be another one. */
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

  /** Takes the next lines that are one event. Returns whether there may be another event. */
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

  /** Takes the event that reaches the end of the window, as far as it is complete. `at`: the end of its last line. */
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

  /** Returns whether an event is too long whose last line has not ended, and so may end with a carriage return. */
  private isTooLong(bytes: number): boolean {
    return bytes > this.options.mostBytes + this.options.encoding.width;
  }

  private take(start: number, end: number): void {
    const { encoding, mostBytes, take } = this.options;
    const isCut = end - start > mostBytes;
    const to = isCut ? encoding.cutAt(this.window, start, start + mostBytes) : end;
    if (to > start) this.takesMore = take(start, to, isCut);
  }

  /** Returns the end of the line that begins at `at`, and the start of the next; undefined when it has not ended. */
  private lineAt(at: number): { readonly end: number; readonly next: number } | undefined {
    const { encoding } = this.options;
    const found = encoding.lineFeed(this.window, at, this.window.length);
    if (found < 0) return undefined;
    const end = encoding.endsWithReturn(this.window, at, found) ? found - encoding.width : found;
    return { end, next: found + encoding.width };
  }

  /** Returns the part of a line that decides whether it begins an event. */
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
