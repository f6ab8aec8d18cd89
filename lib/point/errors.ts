// The one error a decoder throws for a body it refuses: its message is what the user reads (points document, sections 3.11,
// 5.1 and 6.2), `lines` is the same for a machine. A refused body yields no point at all.

import { quoteBytes } from "./quote.ts";

/** The form a body was read as; decides the error code of the answer. */
export type BodyForm = "line-protocol" | "json" | "protobuf";

/** One failing line of a line-protocol body. */
export interface LineFailure {
  /** The line without leading whitespace and line end; bytes that are not UTF-8 show as U+FFFD. */
  readonly line: string;
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
    super(message);
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

/** The error of a line-protocol body in which `failed` lines failed, the first of them `failures`, and `ok` lines were points. */
export function lineProtocolError(
  failures: readonly LineFailure[],
  failed: number,
  ok: number,
  body: Uint8Array,
): PointError {
  const parts = failures.map(({ line, pos, reason }) => `unable to parse '${line}'(pos: ${pos}): ${reason}`);
  parts.push(`with ${ok} point parse ok, ${failed} points failed`);
  return new PointError(
    `invalid lineprotocol: ${parts.join("\n")}. Origin data: ${quoteBytes(body)}`,
    "line-protocol",
    failures,
    failed,
  );
}
