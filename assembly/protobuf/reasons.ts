// Codes of the reasons why a protobuf body is refused; lib/point/codec/protobuf.ts has their messages. A reason may
// have one or two details, which are numbers that its message shows.

export const OK: u32 = 0;
export const UNEXPECTED_EOF: u32 = 1;
// Each reason from ILLEGAL_TAG to END_GROUP has two details. The first detail has the code of the protobuf message's
// type (such as FIELD) in its lowest byte and the wire type in its second byte; the second detail is the number of the
// protobuf field.
export const ILLEGAL_TAG: u32 = 2;
export const WRONG_WIRE_TYPE: u32 = 3;
export const ILLEGAL_WIRE_TYPE: u32 = 4;
export const END_GROUP: u32 = 5;
export const OVERFLOW: u32 = 6;
export const NEGATIVE_LENGTH: u32 = 7;
// Codes of the reasons why a message that is valid protobuf cannot become a point.
export const TIME_RANGE: u32 = 8;
export const TAG_NOT_TEXT: u32 = 9;
/** Reason with two details: address and length of the array's type URL, which is unknown. */
export const UNKNOWN_TYPE: u32 = 10;
/**
 * Reason with two details: first, the type of the array's first element and the type of the element that differs from
 * it; second, the index of the element that differs.
 */
export const MIXED_ARRAY: u32 = 11;
/** Reason with one detail: the index of the array element that has no value. */
export const NIL_ELEMENT: u32 = 12;

// Codes of the types of protobuf messages; error messages show the name of the type.
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

/**
 * Stores the reason of a failure, unless a reason is already stored. Returns false, so that the caller can return this
 * value.
 */
export function failWith(code: u32, first: u32 = 0, second: u32 = 0): bool {
  if (reason) return false;
  reason = code;
  firstDetail = first;
  secondDetail = second;
  return false;
}
