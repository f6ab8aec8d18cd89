// Decodes line protocol in plain JavaScript, byte by byte (docs/reference/points.md#line-protocol). The library scans
// bodies in WebAssembly; tests and benchmarks compare the library with this decoder.

import type { CategoryName } from "../../lib/point/category.ts";
import { correct } from "../../lib/point/correct.ts";
import { type LineFailure, lineProtocolError, PointError } from "../../lib/point/errors.ts";
import type { Limits } from "../../lib/point/limits.ts";
import type { Point } from "../../lib/point/point.ts";
import { type LineOptions, parseLine } from "./line.ts";
import { Fault } from "./scalar.ts";
import { byteOf, isWhitespace, Source } from "./source.ts";

const { backslash, carriageReturn, closing, comma, equals, hash, newline, opening, quote, space } = byteOf;

export interface DecodeOptions {
  readonly category: CategoryName;
  readonly precision?: string;
  /** The time in nanoseconds that points without a time get. */
  readonly now: bigint;
  /** Whether a tag key that occurs twice in a line is an error. */
  readonly strict?: boolean;
  readonly limits?: Limits;
}

/**
 * Returns the points of a body. If any line is wrong, throws a `PointError` that lists every wrong line, and
 * returns no point.
 */
export function decodeLineProtocolInJs(body: Uint8Array, options: DecodeOptions): Point[] {
  if (body.length === 0) throw new PointError("empty data", "line-protocol");
  const { category, limits, now, precision, strict = false } = options;
  const source = new Source(body);
  const lineOptions: LineOptions = { precision, now, strict };
  const points: Point[] = [];
  const failures: LineFailure[] = [];
  const walk = new LineWalk(body);
  while (walk.next()) {
    try {
      points.push(parseLine(source, walk.start, walk.end, lineOptions));
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
      const length = walk.end - walk.start;
      failures.push({ line: source.text(walk.start, walk.end), length, ...walk.place(), reason: fault.message });
    }
  }
  if (failures.length > 0) throw lineProtocolError(failures, failures.length, points.length, body);
  for (const point of points) correct(point, category, limits);
  return points;
}

/** Iterates over the lines of a body, without blank lines and comments. */
class LineWalk {
  /** The offset of the first byte of the line, after leading whitespace. */
  start = 0;
  /**
   * The offset after the last byte of the line. A newline at the end of the line, and a carriage return before this
   * newline, do not belong to the line.
   */
  end = 0;
  private readonly body: Uint8Array;
  /** The offset of the next line, including the whitespace at its beginning. */
  private cursor = 0;
  /**
   * The byte position, counted from 1, that error messages print as the place of the line. It is the position directly
   * after the previous line that has a point, even when blank lines and comments come between that line and this one.
   */
  private pos = 1;
  private nextPos = 1;
  /** The number of newlines before the offset `counted`. The line number in error messages is this number plus one. */
  private newlines = 0;
  private counted = 0;

  constructor(body: Uint8Array) {
    this.body = body;
  }

  next(): boolean {
    const { body } = this;
    while (this.cursor < body.length) {
      const from = this.cursor;
      let first = from;
      while (first < body.length && isWhitespace(body[first]!)) first++;
      const isComment = body[first] === hash;
      const stop = isComment ? firstNewline(body, first) : endOfLine(body, from);
      this.cursor = stop + 1;
      const end = stop < body.length && stop > first && body[stop - 1] === carriageReturn ? stop - 1 : stop;
      if (isComment || first >= end) continue;
      this.start = first;
      this.end = end;
      this.pos = this.nextPos;
      this.nextPos = stop + 2;
      return true;
    }
    return false;
  }

  /**
   * Returns the places of the current line that an error message can name: position, offset, line number and column.
   */
  place(): { pos: number; offset: number; lineNumber: number; column: number } {
    while (this.counted < this.start) if (this.body[this.counted++] === newline) this.newlines++;
    const lineStart = this.body.lastIndexOf(newline, this.start - 1) + 1;
    const column = this.start - (this.start === 0 ? 0 : lineStart) + 1;
    return { pos: this.pos, offset: this.start, lineNumber: this.newlines + 1, column };
  }
}

function firstNewline(body: Uint8Array, from: number): number {
  const at = body.indexOf(newline, from);
  return at < 0 ? body.length : at;
}

/**
 * Returns the offset of the newline that ends the line starting at the offset `from`. A newline inside a quoted field
 * value or after a backslash does not end a line.
 */
function endOfLine(body: Uint8Array, from: number): number {
  let inFields = false;
  let quoted = false;
  let inBrackets = false;
  let equalsSeen = 0;
  let commas = 0;
  let valueAt = -1;
  for (let i = from; i < body.length; i++) {
    switch (body[i]) {
      case backslash:
        if (i + 2 < body.length) i++;
        break;
      case space:
        inFields = true;
        break;
      case equals:
        if (inFields && !quoted) {
          equalsSeen++;
          valueAt = i + 1;
        }
        break;
      case comma:
        if (inFields && !quoted && !inBrackets) commas++;
        break;
      case opening:
        if (i === valueAt && !quoted) inBrackets = true;
        break;
      case closing:
        if (!quoted) inBrackets = false;
        break;
      case quote:
        if (inFields && equalsSeen > commas) quoted = !quoted;
        break;
      case newline:
        if (!quoted) return i;
        break;
    }
  }
  return body.length;
}
