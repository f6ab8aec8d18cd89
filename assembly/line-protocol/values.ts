// Checks booleans, base64 and arrays of line protocol, byte by byte (docs/reference/points.md#field-values).

import { numberEnd, numberKind, scanNumber } from "../number/scan";
import { KIND_ARRAY, KIND_BINARY, KIND_BOOL, KIND_STRING } from "../tape/layout";
import {
  failWith, INVALID_BASE64, INVALID_BOOLEAN, INVALID_NUMBER, MISSING_BRACKET, MISSING_FIELD_VALUE, MIXED_ARRAY, OK, TAIL_CHARACTER,
  UNBALANCED_QUOTES,
} from "../tape/reasons";
import { isBase64 } from "../text/base64";
import { closingQuote } from "../text/quote";

/** Address after the value (boolean, base64 or array) that was checked last. */
export let valueEnd: usize = 0;
export let boolean: bool = false;

/**
 * Returns whether the text from `p` to `end` is one of the eleven spellings of a boolean, and stores the value
 * that it spells in `boolean`.
 */
function isBoolean(p: usize, end: usize): bool {
  const length = end - p;
  const first = <u32>load<u8>(p);
  boolean = (first | 0x20) == 0x74;
  if (length == 1) return (first | 0x20) == 0x74 || (first | 0x20) == 0x66;
  if (length == 4) {
    const word = load<u32>(p);
    return word == 0x65757274 || word == 0x65757254 || word == 0x45555254;
  }
  if (length == 5) {
    const rest = load<u32>(p + 1);
    return (rest == 0x65736c61 && (first == 0x66 || first == 0x46)) || (rest == 0x45534c41 && first == 0x46);
  }
  return false;
}

export function scanBoolean(p: usize, end: usize, inArray: bool): u32 {
  const start = p;
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x2c || c == 0x20 || (inArray && c == 0x5d)) break;
    p++;
  }
  valueEnd = p;
  return isBoolean(start, p) ? OK : failWith(INVALID_BOOLEAN);
}

// @ts-ignore: decorator
@inline
export function isNumberStart(c: u32): bool {
  return c - 0x30 < 10 || c == 0x2e || c == 0x2d || c == 0x4e || c == 0x6e;
}

/** Returns whether a value ends at the address `p`: at the end of the line, a comma or a space. */
function endsValue(p: usize, end: usize): bool {
  return p == end || load<u8>(p) == 0x2c || load<u8>(p) == 0x20;
}

/** The address of the closing quote, and the type (string or binary), of the quoted value that was checked last. */
export let textEnd: usize = 0;
export let textKind: u32 = 0;

export function scanText(p: usize, end: usize, inArray: bool): u32 {
  const close = closingQuote(p + 1, end);
  if (!close) return failWith(UNBALANCED_QUOTES);
  textEnd = close;
  let next = close + 1;
  textKind = KIND_STRING;
  if (next < end && load<u8>(next) == 0x62) {
    textKind = KIND_BINARY;
    next++;
  }
  valueEnd = next;
  if (!endsValue(next, end) && !(inArray && load<u8>(next) == 0x5d)) {
    return failAtTail(next);
  }
  if (textKind == KIND_BINARY && !isBase64(p + 1, close)) return failWith(INVALID_BASE64, p + 1, close - p - 1);
  return OK;
}

function failAtTail(p: usize): u32 {
  const c = load<u8>(p);
  return c == 0x22 ? failWith(UNBALANCED_QUOTES) : failWith(TAIL_CHARACTER, c);
}

/**
 * Returns the address of the `]` that closes an array whose `[` lies before `p`; a `]` inside a string does not count.
 * Returns 0 when the array is not closed before `end`.
 */
function closingBracket(p: usize, end: usize): usize {
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x5d) return p;
    if (c == 0x22) {
      p = closingQuote(p + 1, end);
      if (!p) return 0;
    }
    p++;
  }
  return 0;
}

/** Whether the array of line protocol that was checked last is empty. */
export let arrayIsEmpty: bool = false;

/**
 * Checks the array whose `[` is at `p`, reading each element once to find errors. Returns OK or the reason of the
 * failure.
 */
export function scanArray(p: usize, end: usize): u32 {
  p++;
  if (!closingBracket(p, end)) return failWith(MISSING_BRACKET);
  p = skipSpaces(p, end);
  arrayIsEmpty = load<u8>(p) == 0x5d;
  let kind: u32 = 0;
  if (!arrayIsEmpty) {
    for (let index: u32 = 0; ; index++) {
      const c = p < end ? <u32>load<u8>(p) : 0x2c;
      if (c == 0x2c || c == 0x5d) return failWith(MISSING_FIELD_VALUE);
      if (c == 0x5b) return failWith(MISSING_BRACKET);
      const reason = scanElement(p, end, c);
      if (reason) return reason;
      if (!index) kind = elementKind;
      else if (kind != elementKind) return failWith(MIXED_ARRAY, kind | (elementKind << 8), index);
      p = skipSpaces(valueEnd, end);
      if (p >= end) return failWith(MISSING_BRACKET);
      const next = load<u8>(p);
      if (next == 0x5d) break;
      if (next != 0x2c) return failWith(kind == KIND_BOOL ? INVALID_BOOLEAN : kind < KIND_STRING ? INVALID_NUMBER : TAIL_CHARACTER, next);
      p = skipSpaces(p + 1, end);
    }
  }
  p++;
  if (!endsValue(p, end)) return failAtTail(p);
  valueEnd = p;
  return OK;
}

let elementKind: u32 = KIND_ARRAY;

function scanElement(p: usize, end: usize, c: u32): u32 {
  if (c == 0x22) {
    const reason = scanText(p, end, true);
    elementKind = textKind;
    return reason;
  }
  if (isNumberStart(c)) {
    const reason = scanNumber(p, end, true);
    elementKind = numberKind;
    valueEnd = numberEnd;
    return reason;
  }
  elementKind = KIND_BOOL;
  return scanBoolean(p, end, true);
}

function skipSpaces(p: usize, end: usize): usize {
  while (p < end && load<u8>(p) == 0x20) p++;
  return p;
}
