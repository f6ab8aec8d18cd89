// Splits the bytes of a container log into events. An event is a line that the container wrote, or a group of
// such lines, whose first line matches a regular expression. The container runtime may have cut a line into
// several partial records, and the records of stdout and stderr are mixed. So the records of each stream are
// joined separately, and the position in the file contains an offset for each stream.

import type { Place, SplitOptions, StreamPlace } from "../split-events.ts";
import { type RecordFormat, RecordParser, type Stream } from "./parse-record.ts";

export interface RecordOptions extends Pick<SplitOptions, "mostBytes" | "beginsEvent" | "isComplete"> {
  readonly format: RecordFormat;
  /**
   * Whether the window (the part of the file in memory) cannot become longer. An event that fills the window is then
   * cut.
   */
  readonly isFull: boolean;
  /**
   * Called for each event. `time`: the time of the event's first record in nanoseconds since 1970, empty when it has
   * none. `message` is valid only during the call. Returns false to stop the reading after this event.
   */
  take(message: Uint8Array, stream: Stream, time: string, isCut: boolean): boolean;
}

/**
 * Splits `window` (the bytes of a file from the position `from` on) and passes each event to `take`. Returns the
 * position after the last event that was passed. When the window is full, the returned position is always after `from`.
 */
export function splitRecords(window: Uint8Array, from: Place, options: RecordOptions): Place {
  return new RecordSplitter(window, from, options).run();
}

const lineFeed = 0x0a;

/** A text to which bytes are added up to a limit. Bytes beyond the limit are dropped. */
class Joined {
  private memory = Buffer.alloc(1024);
  length = 0;
  isCut = false;

  clear(): void {
    this.length = 0;
    this.isCut = false;
  }

  add(bytes: Uint8Array, most: number): void {
    const part = bytes.length > most - this.length ? bytes.subarray(0, most - this.length) : bytes;
    if (part.length < bytes.length) this.isCut = true;
    if (this.length + part.length > this.memory.length) {
      const larger = Buffer.alloc(Math.max(2 * this.memory.length, this.length + part.length));
      larger.set(this.bytes);
      this.memory = larger;
    }
    this.memory.set(part, this.length);
    this.length += part.length;
  }

  get bytes(): Uint8Array {
    return this.memory.subarray(0, this.length);
  }
}

/** The state of reading one output stream (stdout or stderr). */
class StreamState {
  readonly stream: Stream;
  /**
   * Offset of the first record of this stream to read. Earlier records are skipped, because their events are stored
   * already.
   */
  readonly from: number;
  dropping: Place["dropping"];
  /**
   * The part of an unfinished line that was read so far. (The container runtime cuts a long line into several
   * records; the line is unfinished until its last record is read.) `lineAt`: the offset of the line's first
   * record in the window (the part of the file in memory); -1 when no line is unfinished.
   */
  readonly line = new Joined();
  lineAt = -1;
  lineTime = "";
  /**
   * The text of an event of several lines to which the next line may still belong. `eventAt`: the offset of the event's
   * first record in the window (the part of the file in memory), -1 when no event is unfinished.
   */
  readonly event = new Joined();
  eventAt = -1;
  eventTime = "";

  constructor(stream: Stream, from: number, dropping: Place["dropping"]) {
    this.stream = stream;
    this.from = from;
    this.dropping = dropping;
  }

  /**
   * Returns the offset, in the window (the part of the file in memory), of the first record that is still needed.
   * This is the first record of the stream's unfinished event or, without such an event, of its unfinished line.
   * Returns `end` when the stream has neither.
   */
  offset(end: number): number {
    return this.eventAt >= 0 ? this.eventAt : this.lineAt >= 0 ? this.lineAt : end;
  }
}

class RecordSplitter {
  private readonly window: Uint8Array;
  private readonly from: Place;
  private readonly options: RecordOptions;
  private readonly parser: RecordParser;
  private readonly streams: StreamState[] = [];
  private takesMore = true;
  private at = 0;
  private dropping: Place["dropping"];

  constructor(window: Uint8Array, from: Place, options: RecordOptions) {
    this.window = window;
    this.from = from;
    this.options = options;
    this.parser = new RecordParser(options.format);
    this.dropping = from.dropping;
    for (const { stream, offset, dropping } of from.streams ?? [])
      this.streams[stream] = new StreamState(stream, offset - from.offset, dropping);
  }

  run(): Place {
    const { window } = this;
    while (this.takesMore && this.at < window.length) {
      const end = window.indexOf(lineFeed, this.at);
      if (end < 0) {
        this.endOfWindow();
        break;
      }
      if (this.dropping === "") this.takeRecord(this.at, end);
      this.dropping = "";
      this.at = end + 1;
    }
    if (this.takesMore) this.endEvents();
    return this.place();
  }

  /**
   * Handles the bytes after the last line feed. When the file is complete, these bytes are the last record. When they
   * fill the whole window (the part of the file in memory), passes them on as an event that is cut.
   */
  private endOfWindow(): void {
    const { window, at, options } = this;
    if (this.dropping !== "") {
      this.at = window.length;
      return;
    }
    if (options.isFull && at === 0) {
      this.at = window.length;
      this.dropping = "line";
      this.take(window.subarray(0, options.mostBytes), 0, "", true);
    } else if (options.isComplete === "all") {
      this.at = window.length;
      this.takeRecord(at, window.length);
    }
  }

  /**
   * Ends the current event of each stream in two cases: `isComplete` says that the event counts as complete, or
   * the event fills the whole window (the part of the file in memory).
   */
  private endEvents(): void {
    const { isComplete, isFull } = this.options;
    for (const state of this.streams) {
      if (state === undefined) continue;
      const fills = isFull && state.offset(this.at) === 0;
      if (fills || isComplete === "all") {
        const isOpen = state.lineAt >= 0;
        if (isOpen) this.endLine(state, fills);
        if (state.eventAt >= 0) this.endEvent(state, fills);
        if (fills) state.dropping = isOpen ? "line" : "event";
      } else if (isComplete === "lines" && state.eventAt >= 0) this.endEvent(state, false);
    }
  }

  private takeRecord(from: number, end: number): void {
    const { window, parser, options } = this;
    let start = from;
    while (window[start] === 0 && start < end) start++;
    if (start === end) return;
    parser.parse(window, start, end);
    const { stream, isPartial, message, time } = parser;
    this.streams[stream] ??= new StreamState(stream, 0, "");
    const state = this.streams[stream];
    if (from < state.from) return;
    if (state.dropping === "line") {
      if (!isPartial) state.dropping = options.beginsEvent === undefined ? "" : "event";
      return;
    }
    if (state.lineAt < 0) {
      state.lineAt = from;
      state.lineTime = time;
      state.line.clear();
    }
    state.line.add(message, options.mostBytes);
    if (!isPartial) this.endLine(state, false);
    else if (state.line.isCut) {
      this.endLine(state, true);
      if (state.eventAt >= 0) this.endEvent(state, true);
      state.dropping = "line";
    }
  }

  /**
   * Called when a line of an output stream has ended: passes the line on as an event or, when events may have several
   * lines, adds the line to the current event or begins a new event. `isCut`: whether the line was too long, so that
   * its remaining records are dropped.
   */
  private endLine(state: StreamState, isCut: boolean): void {
    const { beginsEvent, mostBytes } = this.options;
    const { line, lineAt, lineTime } = state;
    if (beginsEvent === undefined) {
      state.lineAt = -1;
      this.take(line.bytes, state.stream, lineTime, isCut || line.isCut);
      return;
    }
    const begins = beginsEvent(line.bytes);
    state.lineAt = -1;
    if (state.dropping === "event" && !begins) return;
    state.dropping = "";
    if (state.eventAt >= 0 && !begins) {
      state.event.add(newLine, mostBytes);
      state.event.add(line.bytes, mostBytes);
    } else {
      if (state.eventAt >= 0) this.endEvent(state, false);
      state.eventAt = lineAt;
      state.eventTime = lineTime;
      state.event.clear();
      state.event.add(line.bytes, mostBytes);
    }
    if (!line.isCut && !state.event.isCut) return;
    this.endEvent(state, true);
    state.dropping = "event";
  }

  private endEvent(state: StreamState, isCut: boolean): void {
    const { event, eventTime } = state;
    state.eventAt = -1;
    this.take(event.bytes, state.stream, eventTime, isCut || event.isCut);
  }

  private take(message: Uint8Array, stream: Stream, time: string, isCut: boolean): void {
    if (message.length > 0 && !this.options.take(message, stream, time, isCut)) this.takesMore = false;
  }

  private place(): Place {
    const { from, at, dropping } = this;
    const states = this.streams.filter((state) => state !== undefined);
    const least = states.reduce((offset, state) => Math.min(offset, state.offset(at)), at);
    const streams: StreamPlace[] = [];
    for (const state of states) {
      const offset = Math.max(state.offset(at), state.from);
      if (offset > least || state.dropping !== "")
        streams.push({ stream: state.stream, offset: from.offset + offset, dropping: state.dropping });
    }
    const place = { offset: from.offset + least, dropping };
    return streams.length === 0 ? place : { ...place, streams };
  }
}

const newLine = Uint8Array.of(lineFeed);
