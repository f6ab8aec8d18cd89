// Why a protobuf body is refused; lib/point/codec/protobuf.ts has the texts. Details are what the text shows.

export const OK: u32 = 0;
export const UNEXPECTED_EOF: u32 = 1;
// Details of the next four: message in the lowest byte, wire type in the one above; number of the field.
export const ILLEGAL_TAG: u32 = 2;
export const WRONG_WIRE_TYPE: u32 = 3;
export const ILLEGAL_WIRE_TYPE: u32 = 4;
export const END_GROUP: u32 = 5;
export const OVERFLOW: u32 = 6;
export const NEGATIVE_LENGTH: u32 = 7;
// What a point cannot be, though the bytes are well formed.
export const TIME_RANGE: u32 = 8;
export const TAG_NOT_TEXT: u32 = 9;
/** Address and length of the URL. */
export const UNKNOWN_TYPE: u32 = 10;
/** Kinds of element 0 and of the other one, place of that. */
export const MIXED_ARRAY: u32 = 11;
/** Place of the element. */
export const NIL_ELEMENT: u32 = 12;

// Messages, as in the texts.
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

/** Notes the reason; the first one stays. Gives false, for the caller to return. */
export function because(code: u32, first: u32 = 0, second: u32 = 0): bool {
  if (reason) return false;
  reason = code;
  firstDetail = first;
  secondDetail = second;
  return false;
}
