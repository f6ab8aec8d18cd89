// The error that a decoder throws for a body that it refuses; the user reads its message (docs/reference/points.md#errors),
// which has at most 1 KB; `lines` has the same content for programs. A refused body yields no point
// at all.

import { mostShown, quoteBytes } from "../text/quote.ts";
import { shortenedText } from "../text/shown-text.ts";
import { byteLength } from "../text/utf8.ts";

/** The form that a body was read as; it decides the error code of the answer. */
export type BodyForm = "line-protocol" | "json" | "protobuf";

/** One failing line of a line-protocol body. */
export interface LineFailure {
  /**
   * The line without leading whitespace and line end, with U+FFFD for bytes that are not UTF-8. At most 1 KB of a line
   * and 1 MB of all failing lines are kept, then a note of how much is left out.
   */
  readonly line: string;
  /** Length of the whole line in the body, in bytes. */
  readonly length: number;
  /** The position that the message prints: blank and comment lines directly before the line do not count. */
  readonly pos: number;
  /** Offset of the first byte of `line` in the body, in bytes from 0. */
  readonly offset: number;
  /** Number of the line in the body, from 1, counting every newline. */
  readonly lineNumber: number;
  /** Column of the first byte of `line` in its line, in bytes from 1. */
  readonly column: number;
  readonly reason: string;
}

/** The error for a body that a decoder refuses. */
export class PointError extends Error {
  override readonly name = "PointError";
  readonly form: BodyForm;
  /** The failing lines in the order of the body, at most the first 10,000; empty for forms without lines. */
  readonly lines: readonly LineFailure[];
  /** Number of lines that failed. */
  readonly failed: number;
  /** Whether the body is JSON and an element has members but no part of a point; it may be a log of another form. */
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

/** The error for a body with more points than its reader accepts. */
export class TooManyPoints extends Error {
  override readonly name = "TooManyPoints";

  constructor(most: number) {
    super(`the body holds more than ${most} points`);
  }
}

/** Most failing lines that the message names. */
const mostNamed = 10;
/** Bytes that are reserved for the note of how much of the body is left out. */
const noteRoom = 32;

/**
 * Returns the error for a line-protocol body. `failures` are the first of its `failed` failing lines; `ok` lines were
 * points. The message has at most 1 KB: the failing lines get half of it, the body gets the rest.
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
