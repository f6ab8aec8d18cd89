// The reasons why a protobuf body is refused; lib/point/codec/protobuf.ts has their texts. The details are numbers that
// the text shows.

export const OK: u32 = 0;
export const UNEXPECTED_EOF: u32 = 1;
// First detail of the next four reasons: the message in the lowest byte, the wire type in the byte above. Second
// detail: the number of the field.
export const ILLEGAL_TAG: u32 = 2;
export const WRONG_WIRE_TYPE: u32 = 3;
export const ILLEGAL_WIRE_TYPE: u32 = 4;
export const END_GROUP: u32 = 5;
export const OVERFLOW: u32 = 6;
export const NEGATIVE_LENGTH: u32 = 7;
// Reasons for well-formed bytes that cannot be a point.
export const TIME_RANGE: u32 = 8;
export const TAG_NOT_TEXT: u32 = 9;
/** Details: address and length of the URL. */
export const UNKNOWN_TYPE: u32 = 10;
/** Details: the kinds of element 0 and of the element that differs, and the place of the latter. */
export const MIXED_ARRAY: u32 = 11;
/** Detail: the place of the element. */
export const NIL_ELEMENT: u32 = 12;

// Codes of the messages, as the texts name them.
export const POINTS: u32 = 0;
export const POINT: u32 = 1;
export const FIELD: u32 = 2;
export const ANY: u32 = 3;
export const ARRAY: u32 = 4;
export const BASIC_TYPES: u32 = 5;

export let reason: u32 = OK;
export let firstDetail: u32 = 0;
export let secondDetail: u32 = 0;

export function clearReason(): void {
  reason = OK;
}

/** Stores the reason unless there is one already. Returns false, for the caller to return. */
export function because(code: u32, first: u32 = 0, second: u32 = 0): bool {
  if (reason) return false;
  reason = code;
  firstDetail = first;
  secondDetail = second;
  return false;
}
