// Codes for the reasons why a line is refused; lib/point/codec/line-protocol.ts has the messages
// (docs/reference/points.md#line-protocol).

export const OK: u32 = 0;
export const MISSING_MEASUREMENT: u32 = 1;
export const MISSING_FIELDS: u32 = 2;
export const MISSING_TAG_KEY: u32 = 3;
export const MISSING_TAG_VALUE: u32 = 4;
export const INVALID_TAG_FORMAT: u32 = 5;
export const DUPLICATE_TAGS: u32 = 6;
/**
 * Reason with one detail, a length in bytes. When the measurement and tags are too long, the detail is their
 * length. When they are too long only together with a field key, the detail is the sum of both lengths.
 */
export const SERIES_KEY_LENGTH: u32 = 7;
export const MISSING_FIELD_KEY: u32 = 8;
export const MISSING_FIELD_VALUE: u32 = 9;
export const MISSING_BRACKET: u32 = 10;
export const UNBALANCED_QUOTES: u32 = 11;
/** Reason with one detail: the unexpected byte after the value. */
export const TAIL_CHARACTER: u32 = 12;
export const INVALID_NUMBER: u32 = 13;
export const INVALID_FLOAT: u32 = 14;
export const INVALID_BOOLEAN: u32 = 15;
/**
 * Reason with two details: the address and length of the source text that the message shows. Other reasons whose
 * message shows source text have the same details.
 */
export const INT_RANGE: u32 = 16;
export const UINT_RANGE: u32 = 17;
export const INVALID_FIELD_FORMAT: u32 = 18;
export const INVALID_FIELD_KEY: u32 = 19;
export const BAD_TIMESTAMP: u32 = 20;
export const INVALID_POINT: u32 = 21;
export const TIME_RANGE: u32 = 22;
export const TIME_SYNTAX: u32 = 23;
export const TIME_OUTSIDE: u32 = 24;
/**
 * Reason with two details: first, the type of the array's first element and, from bit 8 on, the type of the element
 * that differs from it; second, the index of the element that differs.
 */
export const MIXED_ARRAY: u32 = 25;
export const INVALID_BASE64: u32 = 26;

export let firstDetail: u32 = 0;
export let secondDetail: u32 = 0;

/** Returns the code `reason`, and stores the details of this reason for the failure record. */
export function failWith(reason: u32, first: usize = 0, second: usize = 0): u32 {
  firstDetail = <u32>first;
  secondDetail = <u32>second;
  return reason;
}
