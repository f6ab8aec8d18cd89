// The one error a decoder throws for a body it refuses: its message is what the user reads (docs/reference/points.md#errors), at most 1 KB
// long; `lines` is the same for a machine. A refused body yields no point at all.

import { mostShown, quoteBytes } from "./quote.ts";
import { shortenedText } from "./shown-text.ts";
import { byteLength } from "./text.ts";

/** The form a body was read as; decides the error code of the answer. */
export type BodyForm = "line-protocol" | "json" | "protobuf";

/** One failing line of a line-protocol body. */
export interface LineFailure {
  /**
   * The line without leading whitespace and line end; bytes that are not UTF-8 show as U+FFFD. At most 1 KB of a line, and 1 MB of all
   * failing lines, then how much is left out.
   */
  readonly line: string;
  /** Length of the whole line in the body, in bytes. */
  readonly length: number;
  /** The position as the message prints it: blank and comment lines before the line do not move it. */
  readonly pos: number;
  /** True offset of the first byte of `line` in the body, in bytes from 0. */
  readonly offset: number;
  /** Number of the line in the body, from 1, counting every newline. */
  readonly lineNumber: number;
  /** Column of the first byte of `line` in its line, in bytes from 1. */
  readonly column: number;
  readonly reason: string;
}

export class PointError extends Error {
  override readonly name = "PointError";
  readonly form: BodyForm;
  /** The failing lines in body order, the first 10,000 of them; empty for forms that have no lines. */
  readonly lines: readonly LineFailure[];
  /** How many lines failed. */
  readonly failed: number;
  /** The body is JSON, and an element has members but no part of a point: it may be a log of another form. */
  readonly hasNoParts: boolean;

  constructor(
    message: string,
    form: BodyForm,
    lines: readonly LineFailure[] = [],
    failed: number = lines.length,
    hasNoParts = false,
  ) {
    super(shortenedText(message));
    this.form = form;
    this.lines = lines;
    this.failed = failed;
    this.hasNoParts = hasNoParts;
  }
}

/** A body holds more points than its reader takes. */
export class TooManyPoints extends Error {
  override readonly name = "TooManyPoints";

  constructor(most: number) {
    super(`the body holds more than ${most} points`);
  }
}

/** The most of the failing lines that the message names. */
const mostNamed = 10;
/** Bytes for the note of how much of the body is left out. */
const noteRoom = 32;

/**
 * Returns the error of a line-protocol body in which `failed` lines failed, the first of them `failures`, and `ok` lines were points.
 * The message is at most 1 KB long: the failing lines have half of it, the body has what is left.
 */
export function lineProtocolError(
  failures: readonly LineFailure[],
  failed: number,
  ok: number,
  body: Uint8Array,
): PointError {
  const tail = `with ${ok} point parse ok, ${failed} points failed`;
  const named: string[] = [];
  let room = mostShown / 2;
  for (const { line, pos, reason } of failures.slice(0, mostNamed)) {
    const text = `unable to parse '${shortenedText(line, mostShown / 4)}'(pos: ${pos}): ${shortenedText(reason, mostShown / 8)}`;
    room -= byteLength(text);
    if (room < 0) break;
    named.push(text);
  }
  const rest = failed - named.length;
  if (rest > 0) named.push(`${rest} more ${rest === 1 ? "line is" : "lines are"} not shown`);
  const start = `invalid lineprotocol: ${[...named, tail].join("\n")}. Origin data: `;
  return new PointError(
    start + quoteBytes(body, mostShown - noteRoom - byteLength(start)),
    "line-protocol",
    failures,
    failed,
  );
}
