// Lines of text through a script, as a pair of web streams for `pipeThrough`. A chunk that is written stays pending
// until the reader has taken the results of all its lines, so that a slow reader stops the source. Held are one chunk,
// the begin of a line that is not complete yet, and the results that the reader's queue has room for.

import type { Point } from "../point/point.ts";
import { type OptionNames, refuse, requireCount, requireOneOf, requireOptions, textOfBody } from "../text/argument.ts";
import { LineSplitter } from "./line-splitter.ts";
import { ObjectScript, type RunObject, resultOf } from "./object-script.ts";

/** Options of `Millrace.lines`. */
export interface LinesOptions {
  /** `lp`: the stream gives line protocol as bytes, each line with its newline. Default `object`: it gives objects. */
  readonly as?: "object" | "lp";
  /** Largest length of a line in bytes; default 1 MiB. */
  readonly maxLineBytes?: number;
  /**
   * Treatment of a longer line: `error`, the default, ends the stream with a RangeError; `cut` keeps the first
   * `maxLineBytes` bytes.
   */
  readonly longLines?: "error" | "cut";
  /** Number of results that are made before the reader asks for them; default 64. */
  readonly ahead?: number;
}

/** A chunk of text: bytes in UTF-8, or a string. Lines and characters may be split anywhere between chunks of bytes. */
export type TextChunk = string | Uint8Array | ArrayBuffer;

const defaultLineBytes = 1024 * 1024;
const defaultAhead = 64;

/**
 * A pair of web streams for `pipeThrough`. Text is written to `writable`; `readable` gives one result for each line that
 * the script did not drop.
 */
export interface LineStream<R = RunObject> {
  readonly readable: ReadableStream<R>;
  readonly writable: WritableStream<TextChunk>;
}

/** Returns points as lines of line protocol, each with its newline. */
export type Encode = (points: readonly Point[]) => Uint8Array<ArrayBuffer>;

const linesNames: OptionNames<LinesOptions> = { as: true, maxLineBytes: true, longLines: true, ahead: true };

/** Checks the arguments of `lines`. */
export function checkLines(script: unknown, options: LinesOptions | undefined): void {
  const call = "lines";
  if (!(script instanceof ObjectScript)) {
    const help = typeof script === "string" ? ". Write lines(mill.script(text))" : "";
    refuse(call, "script", "a script that mill.script(text) returns", script, help);
  }
  if (script.script.waits)
    throw new TypeError(`${call}: script must not wait for HTTP answers; got ${script.script.name}, which waits`);
  requireOptions(call, options, linesNames);
  if (options === undefined) return;
  if (options.as !== undefined) requireOneOf(call, "as", options.as, ["object", "lp"]);
  if (options.longLines !== undefined) requireOneOf(call, "longLines", options.longLines, ["error", "cut"]);
  requireCount(call, "maxLineBytes", options.maxLineBytes, "of bytes", 1);
  requireCount(call, "ahead", options.ahead, "of results", 1);
}

/** Makes the stream of `Millrace.lines`. */
export function linesStream(script: ObjectScript, options: LinesOptions, encode: Encode): LineStream<Result> {
  const splitter = new LineSplitter(options.maxLineBytes ?? defaultLineBytes, options.longLines === "cut");
  const source = new LineResults(script, splitter, options.as === "lp" ? encode : null);
  return source.streams(options.ahead ?? defaultAhead);
}

type Result = RunObject | Uint8Array<ArrayBuffer>;

class LineResults {
  private readonly script: ObjectScript;
  private readonly splitter: LineSplitter;
  private readonly encode: Encode | null;
  private reader: ReadableStreamDefaultController<Result> | null = null;
  /** Settles the write whose lines are being taken; null while no write is pending. */
  private written: { readonly resolve: () => void; readonly reject: (reason: unknown) => void } | null = null;
  /** Resolves the `pull` that waits for lines; null while the reader has enough. */
  private pulled: (() => void) | null = null;
  private writer: WritableStreamDefaultController | null = null;
  private isClosed = false;

  constructor(script: ObjectScript, splitter: LineSplitter, encode: Encode | null) {
    this.script = script;
    this.splitter = splitter;
    this.encode = encode;
  }

  streams(ahead: number): LineStream<Result> {
    const readable = new ReadableStream<Result>(
      {
        start: (controller) => {
          this.reader = controller;
        },
        pull: () => this.pull(),
        cancel: (reason) => this.cancel(reason),
      },
      { highWaterMark: ahead },
    );
    const writable = new WritableStream<TextChunk>(
      {
        start: (controller) => {
          this.writer = controller;
        },
        write: (chunk) => this.write(chunk),
        close: () => this.close(),
        abort: (reason) => this.fail(reason),
      },
      { highWaterMark: 1 },
    );
    return { readable, writable };
  }

  /** The reader has room. Resolves when at least one result was given or no more come. */
  private pull(): Promise<void> {
    return new Promise((resolve) => {
      this.pulled = resolve;
      this.work();
    });
  }

  private write(chunk: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.written = { resolve, reject };
      try {
        this.splitter.add(textOfBody("lines", "chunk", chunk));
        this.work();
      } catch (error) {
        this.fail(error);
      }
    });
  }

  /** Resolves when the last line was taken. */
  private close(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.written = { resolve, reject };
      this.isClosed = true;
      this.work();
    });
  }

  private cancel(reason: unknown): void {
    this.isClosed = true;
    this.splitter.clear();
    this.writer?.error(reason);
    this.settle((write) => write.reject(reason));
  }

  private fail(reason: unknown): void {
    this.splitter.clear();
    this.reader?.error(reason);
    this.settle((write) => write.reject(reason));
    this.resume();
  }

  /** Gives results while the reader has room and lines are there. */
  private work(): void {
    try {
      while (this.pulled !== null && this.written !== null) {
        const line = this.splitter.next(this.isClosed);
        if (line === undefined) {
          this.atEndOfChunk();
          return;
        }
        if (line.trim() === "") continue;
        this.give(line);
        if (this.reader!.desiredSize! <= 0) this.resume();
      }
    } catch (error) {
      this.fail(error);
    }
  }

  /** No line is left in the chunk: the writer may go on, and what was given so far goes to the reader. */
  private atEndOfChunk(): void {
    if (this.isClosed) {
      this.reader!.close();
      this.resume();
    }
    this.settle((write) => write.resolve());
  }

  private give(line: string): void {
    const { point, result } = this.script.runPoint(line);
    const { dropped, created, window: broughtBack } = result;
    if (dropped && created.length === 0 && broughtBack.length === 0) return;
    if (this.encode === null) {
      this.reader!.enqueue(resultOf(point, result));
      return;
    }
    const others = created.filter((each) => each.dropped !== true).map((each) => each.point);
    const bytes = this.encode([...broughtBack, ...(dropped ? [] : [point]), ...others]);
    if (bytes.length > 0) this.reader!.enqueue(bytes);
  }

  private settle(end: (write: NonNullable<LineResults["written"]>) => void): void {
    const { written } = this;
    this.written = null;
    if (written !== null) end(written);
  }

  private resume(): void {
    const { pulled } = this;
    this.pulled = null;
    pulled?.();
  }
}
