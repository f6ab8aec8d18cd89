// Runs a script over the lines of a text, as a pair of web streams for `pipeThrough`. The write of a chunk of
// text completes only when the reader has taken the results of all lines in the chunk, so a slow reader slows
// down the source. At any time, memory contains only one chunk, the beginning of an incomplete line, and the
// results in the reader's queue.

import type { Point } from "../point/point.ts";
import { type OptionNames, refuse, requireCount, requireOneOf, requireOptions, textOfBody } from "../text/argument.ts";
import { LineSplitter } from "./line-splitter.ts";
import { ObjectScript, type RunObject, resultOf } from "./object-script.ts";

/** Options of `Millrace.lines`. */
export interface LinesOptions {
  /**
   * `object` (the default): each result is an object. `lp`: each result is line protocol as bytes, with a newline after
   * each line.
   */
  readonly as?: "object" | "lp";
  /** Largest length of a line in bytes; the default is 1,048,576. */
  readonly maxLineBytes?: number;
  /**
   * How to treat a line that is longer than `maxLineBytes`. `error` (the default): the line ends the stream with a
   * RangeError. `cut`: only the first `maxLineBytes` bytes of the line are used.
   */
  readonly longLines?: "error" | "cut";
  /** Number of results that may wait in the queue of the reader; default 64. */
  readonly ahead?: number;
}

/**
 * A chunk of text: UTF-8 bytes, or a string. A chunk may end within a line, and a chunk of bytes also within a
 * character.
 */
export type TextChunk = string | Uint8Array | ArrayBuffer;

const defaultLineBytes = 1024 * 1024;
const defaultAhead = 64;

/**
 * A pair of web streams for `pipeThrough`. The source writes text to `writable`; `readable` yields a result for each
 * line, except for lines whose point the script drops.
 */
export interface LineStream<R = RunObject> {
  readonly readable: ReadableStream<R>;
  readonly writable: WritableStream<TextChunk>;
}

/** A function that encodes points as line protocol, with a newline after each line. */
export type Encode = (points: readonly Point[]) => Uint8Array<ArrayBuffer>;

const linesNames: OptionNames<LinesOptions> = { as: true, maxLineBytes: true, longLines: true, ahead: true };

/** Checks the arguments of `Millrace.lines`, and throws a TypeError for a wrong argument. */
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

/** Makes the pair of streams that `Millrace.lines` returns. */
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
  /** Resolves or rejects the promise of the pending `write` or `close` call; null while no call is pending. */
  private written: { readonly resolve: () => void; readonly reject: (reason: unknown) => void } | null = null;
  /** Resolves the promise of the pending `pull`; null while the reader asks for no results. */
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

  /**
   * Called by the stream when the reader has room for more results. Resolves when the reader has enough results,
   * or at the end of the text.
   */
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

  /** Called by the stream after the last chunk. Resolves when the script has run over the last line. */
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

  /** Runs the script line by line while the reader has room for more results and a chunk has lines left. */
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

  /**
   * Called when the script has run over all lines of the chunk: resolves the pending write, and at the end of the text
   * closes the stream of results.
   */
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
