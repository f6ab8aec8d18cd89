// Decodes line protocol. The WebAssembly module scans the body once. The result is a batch of corrected points,
// or a PointError that lists the failing lines (docs/reference/points.md#line-protocol).

import { mostShown, omittedNote } from "../../text/quote.ts";
import { failure, failureWords, head, kindLetters } from "../../wasm/tape.ts";
import type { Batch } from "../batch/batch.ts";
import { type LineFailure, lineProtocolError, PointError } from "../errors.ts";
import { maxSeriesKey } from "../limits.ts";
import { timeOutsideRange } from "../precision.ts";
import type { BodyForm } from "./body.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Returns the decoder of line protocol. When `fast` is false, the exact parser, which is slower, reads every
 * line (assembly/line-protocol/exact.ts). When `fast` is true, faster parsers read most lines. Both ways produce
 * the same points; a test checks this.
 */
export function lineProtocol(fast: boolean): BodyForm {
  return {
    check: (body) => {
      if (body.length === 0) throw new PointError("empty data", "line-protocol");
    },
    scan: ({ exports }, base, most) => exports.scanBody(base, fast ? 1 : 0, most) !== 0,
    finish: ({ batch, body, before, goesOn }) => {
      const hasFailed = batch.head(head.failureCount) > 0;
      if (hasFailed && !goesOn) throw failed(batch, body, before + batch.length);
      return !hasFailed;
    },
  };
}

/**
 * Largest number of characters that one error keeps of all its failing lines together. The notes about the
 * omitted parts of lines do not count.
 */
const mostLineText = 1024 * 1024;

/** Returns the first bytes of a line, at most `most`, and a note that says how many bytes are left out. */
function lineText(line: Uint8Array, most: number): string {
  if (line.length <= most) return decoder.decode(line);
  let end = most;
  // Moves the cut back to the start of a UTF-8 character, so that no character is cut in two.
  while (end > 0 && end > most - 3 && (line[end]! & 0xc0) === 0x80) end--;
  return decoder.decode(line.subarray(0, end)) + omittedNote(line.length - end, "byte");
}

function failed(batch: Batch, body: Uint8Array, points: number): PointError {
  const { u32 } = batch.module;
  const start = batch.head(head.body);
  const failures: LineFailure[] = [];
  let lineNumber = 1;
  let lineStart = 0;
  let at = 0;
  let room = mostLineText;
  for (let i = 0; i < batch.head(head.failureCount); i++) {
    const record = (batch.head(head.failures) >>> 2) + i * failureWords;
    const offset = u32[record + failure.line]! - start;
    for (; at < offset; at++) {
      if (body[at] !== 0x0a) continue;
      lineNumber++;
      lineStart = at + 1;
    }
    const length = u32[record + failure.lineLength]!;
    const line = lineText(body.subarray(offset, offset + length), Math.min(room, mostShown));
    room = Math.max(0, room - line.length);
    failures.push({
      line,
      length,
      pos: u32[record + failure.position]!,
      offset,
      lineNumber,
      column: offset - lineStart + 1,
      reason: reasonText(batch, record),
    });
  }
  return lineProtocolError(failures, batch.head(head.failed), points, body);
}

/** Error messages for invalid lines. The index of a message is its code in assembly/tape/reasons.ts. */
const reasonTexts: readonly string[] = [
  "",
  "missing measurement",
  "missing fields",
  "missing tag key",
  "missing tag value",
  "invalid tag format",
  "duplicate tags",
  "max key length exceeded",
  "missing field key",
  "missing field value",
  "missing closing bracket",
  "unbalanced quotes",
  "invalid string, got tail char",
  "invalid number",
  "invalid float",
  "invalid boolean",
  "unable to parse integer",
  "unable to parse unsigned",
  "invalid field format",
  "invalid value",
  "bad timestamp",
  "point is invalid",
  "value out of range",
  "invalid syntax",
  timeOutsideRange,
  "mixed type elements found in array",
  "invalid base64 string",
];

/**
 * Largest number of bytes that an error message quotes from the wrong part of a line, such as a number that is too
 * large.
 */
const mostReason = 64;

function reasonText(batch: Batch, record: number): string {
  const { u32 } = batch.module;
  const code = u32[record + failure.reason]!;
  const first = u32[record + failure.first]!;
  const second = u32[record + failure.second]!;
  const text = reasonTexts[code]!;
  const source = (): string => lineText(batch.bytes(first, second), mostReason);
  switch (code) {
    case 7:
      return `${text}: ${first} > ${maxSeriesKey}`;
    case 12:
      return `${text} \`${String.fromCharCode(first)}'`;
    case 16:
      return `${text} ${source()}: strconv.ParseInt: parsing "${source()}": value out of range`;
    case 17:
      return `${text} ${source()}: strconv.ParseUint: parsing "${source()}": value out of range`;
    case 19:
      return `${text}: field-key=${source()}`;
    case 22:
    case 23:
      return `strconv.ParseInt: parsing "${source()}": ${text}`;
    case 25:
      return `${text}([0]: ${kindLetters[first & 0xff]} <> [${second}]: ${kindLetters[first >>> 8]})`;
    case 26:
      return `${text}: "${source()}"`;
    default:
      return text;
  }
}
