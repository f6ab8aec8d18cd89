// The error that a decoder throws for an invalid body. None of the points of the body is then accepted. The error's
// message, of at most 1 KB, is for people (docs/reference/points.md#errors); `lines` has the same content for programs.

import { mostShown, quoteBytes } from "../text/quote.ts";
import { shortenedText } from "../text/shown-text.ts";
import { byteLength } from "../text/utf8.ts";

/** The wire format in which a body was read; it decides which error code the client gets. */
export type BodyForm = "line-protocol" | "json" | "protobuf";

/** One invalid line of a line protocol body. */
export interface LineFailure {
  /**
   * The line without leading white space and line end, with U+FFFD for bytes that are not UTF-8. At most 1 KB of each
   * line, and at most 1 MB of all failing lines together, is kept; a note says how much was left out.
   */
  readonly line: string;
  /** Length in bytes of the whole line; `line` may contain only the beginning of the line. */
  readonly length: number;
  /**
   * Position of the line as the error message shows it: the byte offset in the body, counted from 1, directly
   * after the previous line. Blank lines and comments do not count as the previous line.
   */
  readonly pos: number;
  /** Byte offset of the first byte of `line` in the body, from 0. */
  readonly offset: number;
  /** Line number in the body, from 1, counting every newline. */
  readonly lineNumber: number;
  /**
   * Column at which `line` begins in the line of the body, counted in bytes from 1. The column is greater than 1
   * when the line of the body starts with white space.
   */
  readonly column: number;
  readonly reason: string;
}

/** The error for a body that a decoder rejects. */
export class PointError extends Error {
  override readonly name = "PointError";
  readonly form: BodyForm;
  /** The failing lines in the order of the body, at most the first 10,000; empty for wire formats without lines. */
  readonly lines: readonly LineFailure[];
  /** Number of failing lines, including those that `lines` leaves out. */
  readonly failed: number;
  /**
   * Whether the body is JSON with an element that has members, but no measurement, tags or fields. The element may be a
   * log in another format.
   */
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

/** The error for a body that has more points than allowed. */
export class TooManyPoints extends Error {
  override readonly name = "TooManyPoints";

  constructor(most: number) {
    super(`the body holds more than ${most} points`);
  }
}

/** Largest number of failing lines that the error message quotes. */
const mostNamed = 10;
/** Number of bytes of the error message that are kept free for the note that says how much of the body is left out. */
const noteRoom = 32;

/**
 * Returns the error for a line protocol body. `failed` is the number of failing lines, `failures` describes the first
 * of them, and `ok` is the number of valid lines. The message has at most 1 KB: half of it describes failing lines, and
 * the remainder quotes the beginning of the body.
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
