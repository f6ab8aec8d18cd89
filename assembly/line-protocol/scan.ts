// Decodes a body of line protocol into points: finds the lines, tries the faster parsers (shape.ts and general.ts),
// falls back to the exact parser (exact.ts), and records the failures. No bytes are copied: entries point into the
// body.

import { pushFailure } from "../tape/batch";
import {
  B_BEHIND, B_BODY, B_ENTRY_COUNT, B_FAILED, B_LENGTH, B_NEXT_LINE, F_FIRST, F_LINE, F_LINE_LENGTH, F_POSITION, F_REASON, F_SECOND, F_STOP,
  MAX_FAILURES,
} from "../tape/layout";
import { firstDetail, secondDetail } from "../tape/reasons";
import { releaseShapes, releaseTags } from "../tape/scan-memory";
import { startChains } from "./chains";
import { at, parseExactly } from "./exact";
import { parseFast } from "./predict";
import { startShapes } from "./shape";
import { takeShapes } from "./shapes";
import { lineEnd } from "./split";

/**
 * Decodes the body from the position at which the previous call stopped, until the tape (the decoded entries) has
 * `most` entries or the body ends. Returns whether a part of the body remains. When `fast` is false, the exact parser
 * (exact.ts) reads every line; the resulting batch is the same.
 */
export function scanBody(batch: usize, fast: bool, most: u32): bool {
  const body = <usize>load<u32>(batch, B_BODY);
  const end = body + load<u32>(batch, B_LENGTH);
  let p = <usize>load<u32>(batch, B_NEXT_LINE);
  takeShapes();
  startChains();
  startShapes();
  // Address after the last line that was neither blank nor a comment. The position `pos` in an error message
  // counts the bytes from this address.
  let behind = <usize>load<u32>(batch, B_BEHIND);
  // A line goes to the exact parser (exact.ts) when its first byte is not greater than this number. Such a byte is
  // white space, a quote or a comment sign. When the faster parsers (shape.ts and general.ts) are switched off (`fast`
  // is false), the number is 255, so that all lines go to the exact parser.
  const odd: u32 = fast ? 0x23 : 0xff;
  for (;;) {
    if (p >= end) break;
    if (load<u32>(batch, B_ENTRY_COUNT) >= most) break;
    const c = <u32>load<u8>(p);
    if (c == 0x0a) {
      p++;
      continue;
    }
    if (c > odd) {
      const next = parseFast(batch, p, end, most);
      if (next) {
        p = behind = next;
        continue;
      }
    }
    let line = p;
    while (line < end && isWhite(load<u8>(line))) line++;
    if (line == end) {
      p = end;
      break;
    }
    if (load<u8>(line) == 0x23 || isBlank(line, end)) {
      while (line < end && load<u8>(line) != 0x0a) line++;
      p = line + 1;
      continue;
    }
    const newline = lineEnd(p, end);
    const stop = newline < end && load<u8>(newline - 1) == 0x0d ? newline - 1 : newline;
    const reason = parseExactly(batch, line, stop);
    if (reason) fail(batch, reason, line, stop, <u32>(behind - body) + 1);
    p = behind = newline + 1;
  }
  releaseShapes();
  releaseTags();
  store<u32>(batch, <u32>p, B_NEXT_LINE);
  store<u32>(batch, <u32>behind, B_BEHIND);
  return p < end;
}

function fail(batch: usize, reason: u32, line: usize, stop: usize, position: u32): void {
  const before = load<u32>(batch, B_FAILED);
  store<u32>(batch, before + 1, B_FAILED);
  if (before >= MAX_FAILURES) return;
  const failure = pushFailure(batch);
  store<u32>(failure, reason, F_REASON);
  store<u32>(failure, <u32>line, F_LINE);
  store<u32>(failure, <u32>(stop - line), F_LINE_LENGTH);
  store<u32>(failure, position, F_POSITION);
  store<u32>(failure, firstDetail, F_FIRST);
  store<u32>(failure, secondDetail, F_SECOND);
  store<u32>(failure, <u32>at, F_STOP);
}

// @ts-ignore: decorator
@inline
function isWhite(c: u32): bool {
  return c == 0x20 || c == 0x09 || c == 0;
}

/** Returns whether the line is empty, with or without a carriage return. */
function isBlank(p: usize, end: usize): bool {
  return load<u8>(p) == 0x0a || (load<u8>(p) == 0x0d && p + 1 < end && load<u8>(p + 1) == 0x0a);
}
