// Reads the wire format of protocol buffers: varints, tags (field numbers with wire types) and lengths; skips unknown
// fields. Every function stops at `end`. A function that fails stores the reason for the error message; the value of
// `at` is then undefined.

import { END_GROUP, failWith, ILLEGAL_TAG, ILLEGAL_WIRE_TYPE, NEGATIVE_LENGTH, OVERFLOW, UNEXPECTED_EOF, WRONG_WIRE_TYPE } from "./reasons";

export const VARINT: u32 = 0;
export const FIXED64: u32 = 1;
export const LENGTH: u32 = 2;
const GROUP: u32 = 3;
const GROUP_END: u32 = 4;
const FIXED32: u32 = 5;

/** The reading position in the body: the address of the next byte. */
export let at: usize = 0;

// @ts-ignore: decorator
@inline
export function setAt(address: usize): void {
  at = address;
}

/** The value that the last call of `readVarint` read. */
export let varint: u64 = 0;

// @ts-ignore: decorator
@inline
export function readVarint(end: usize): bool {
  if (at < end) {
    const first = <u64>load<u8>(at);
    if (first < 0x80) {
      at++;
      varint = first;
      return true;
    }
  }
  return readLongVarint(end);
}

function readLongVarint(end: usize): bool {
  let value: u64 = 0;
  for (let shift: u64 = 0; shift < 64; shift += 7) {
    if (at >= end) return failWith(UNEXPECTED_EOF);
    const byte = <u64>load<u8>(at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      varint = value;
      return true;
    }
  }
  return failWith(OVERFLOW);
}

/** Field number and wire type in the protobuf tag that was read last. */
export let field: u32 = 0;
export let wire: u32 = 0;

// @ts-ignore: decorator
@inline
export function readTag(end: usize, message: u32): bool {
  if (!readVarint(end)) return false;
  wire = <u32>varint & 7;
  field = <u32>(varint >> 3);
  if (wire == GROUP_END) return failWith(END_GROUP, message);
  return <i32>field > 0 || failWith(ILLEGAL_TAG, message | (wire << 8), field);
}

// @ts-ignore: decorator
@inline
export function expectWireType(expected: u32, message: u32): bool {
  return wire == expected || failWith(WRONG_WIRE_TYPE, message | (wire << 8), field);
}

/** Reads the length of a field's content into `varint`. Fails when content of this length would extend beyond `end`. */
// @ts-ignore: decorator
@inline
export function readLength(end: usize): bool {
  if (!readVarint(end)) return false;
  if (<i64>varint < 0) return failWith(NEGATIVE_LENGTH);
  return varint <= <u64>(end - at) || failWith(UNEXPECTED_EOF);
}

/** Skips `bytes` bytes of the body. Fails when fewer remain before `end`. */
function pass(bytes: usize, end: usize): bool {
  if (end - at < bytes) return failWith(UNEXPECTED_EOF);
  at += bytes;
  return true;
}

/**
 * Skips the value that follows the last protobuf tag (field number and wire type). When it is a group, skips the whole
 * content of the group.
 */
export function skip(end: usize): bool {
  let depth: u32 = 0;
  let type = wire;
  do {
    if (type == VARINT) {
      if (!readVarint(end)) return false;
    } else if (type == FIXED64) {
      if (!pass(8, end)) return false;
    } else if (type == LENGTH) {
      if (!readLength(end)) return false;
      at += <usize>varint;
    } else if (type == FIXED32) {
      if (!pass(4, end)) return false;
    } else if (type == GROUP) depth++;
    else if (type == GROUP_END) depth--;
    else return failWith(ILLEGAL_WIRE_TYPE, type << 8);
    if (depth) {
      if (!readVarint(end)) return false;
      type = <u32>varint & 7;
    }
  } while (depth);
  return true;
}
