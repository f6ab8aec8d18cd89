// The layout of shapes. A shape stores the measurement and the keys of a line. Later lines are compared with it,
// which is faster than parsing them. A shape consists of a header, one slot for each key, and the remaining
// bytes of long keys. At most sixteen shapes are kept for each measurement, in a list that is found by the
// measurement's hash. Shapes outlive the body from which they were made, because a sender sends the same keys
// again. Their memory is in tape/scan-memory.ts.

import { sameBytes } from "../tape/keys";
import { DIRECTORY, forgetShapes, shapes, takeShape } from "../tape/scan-memory";

// A stored text (a measurement or key) that is compared with the line. Its first 16 bytes are the text, the byte
// that must follow the text, and zeros. Of a longer text, they are only the first 16 bytes.
/**
 * A bit mask for comparing the first 16 bytes of the stored text with the line. Bit i belongs to byte i. A bit
 * is set when its byte may differ, because it lies after the text and after the byte that must follow the text.
 * Bits 16 to 31 are always set. The text is equal when every bit is set either in this mask or in the result of
 * the comparison. The mask is 0 when the text has 16 bytes or more, because comparing 16 bytes is then not
 * enough.
 */
export const T_IDLE: usize = 16;
/** Length in bytes of the stored text (a measurement or key), including the byte that must follow the text. */
export const T_ADVANCE: usize = 20;
/**
 * Offset of the bytes after the first 16 bytes of a long stored text (a measurement or key). The next member,
 * T_TAIL_LENGTH, is the number of these bytes plus 1; it is 0 when the text has fewer than 16 bytes.
 */
const T_TAIL: usize = 24;
const T_TAIL_LENGTH: usize = 28;

// A slot is the record of one key of the line; it stores the text of the key with the `=` after it.
/**
 * The first 8 bytes of a tag's entry: the id of the tag's key, the type of the value, and the flags of the entry. The
 * id is valid only in one scan (the decoding of one body), whose number is in the shape's member S_SCAN.
 */
export const L_ENTRY: usize = 32;
/** For a tag: offset of its entry on the tape (the decoded entries), in bytes from the line's first entry. */
export const L_PLACE: usize = 40;
/**
 * For a tag: length in bytes of the tag's value in the last line that was read by this shape (the remembered keys of a
 * line).
 */
export const L_WIDTH: usize = 44;
/** Hash of the key; only set when the key belongs to a field. */
export const L_HASH: usize = 40;
export const SLOT: usize = 48;

// The head of a shape (the remembered keys of a line). It begins with the stored text of the measurement and the comma
// or space after it; the other members follow.
/**
 * Values that belong to one scan (the decoding of one body), whose number is in S_SCAN: the address of the measurement,
 * the number of tags and of fields, whether keys or counts need corrections, and whether the line lacks the key that
 * the category of the points requires (such as `status` for `logging`).
 */
export const S_NAME: usize = 32;
export const S_TAGS: usize = 36;
export const S_FIELDS: usize = 40;
export const S_ATTENTION: usize = 44;
export const S_INCOMPLETE: usize = 48;
/**
 * Offset of another shape (remembered keys of a line). When a line with this shape came last, the line after it
 * had the other shape. The parser tries the other shape first for the next line.
 */
export const S_FOLLOWER: usize = 52;
/**
 * Offset of the next shape (record of a line's keys) in the list. A list has the shapes whose measurements have equal
 * low bits in their hash.
 */
export const S_OTHER: usize = 56;
/** Size in bytes of the memory that the shape (the record of a line's keys) occupies. */
const S_ROOM: usize = 60;
/**
 * Number of the scan (decoding of one body) to which the key ids in the shape (record of a line's keys) belong; in
 * another scan the ids must be replaced.
 */
export const S_SCAN: usize = 64;
/** Hash of the measurement that all lines with this shape (remembered keys) have. */
export const S_HASH: usize = 68;
/**
 * Whether the key of any field contains a quote. Some decoders accept a quote in a key only after a backslash, so a
 * line with such a key is not sent on unchanged.
 */
export const S_QUOTED: usize = 72;
export const S_SLOTS: usize = 80;

/** Largest number of shapes (remembered key sequences) that are kept for one measurement. */
const MOST_OF_ONE: u32 = 16;

/**
 * Longest series (measurement and tags) and longest field key, in bytes, that the faster parsers (shape.ts and
 * general.ts) read. Line protocol allows at most 65535 bytes for the sum of both lengths. When each length is within
 * its limit here, the sum is always allowed.
 */
export const MAX_SERIES: usize = 60000;
export const MAX_KEY: u32 = 5000;

/** Number of the current scan (the decoding of one body), counted from 1. */
export let scan: u32 = 0;

export function takeShapes(): void {
  if (++scan) return;
  forgetShapes();
  scan = 1;
}

// @ts-ignore: decorator
@inline
function directoryAt(hash: u32): usize {
  return shapes + (<usize>(hash & (DIRECTORY - 1)) << 2);
}

/**
 * Returns the newest shape (remembered keys of a line) in the list that the given hash of a measurement selects.
 * Several measurements share a list, so the shape may have another measurement than the line.
 */
export function firstShape(hash: u32): u32 {
  return load<u32>(directoryAt(hash));
}

/** Writes the closing slot after the last slot (record of a key) of a shape. No text matches the closing slot. */
export function closeSlots(at: usize): void {
  memory.fill(at, 0, SLOT);
}

/**
 * Returns how many bytes a measurement or key has after its first 16. A shape (the record of a line's keys) stores
 * these bytes at its end.
 */
// @ts-ignore: decorator
@inline
export function tailLengthOf(length: u32): u32 {
  return length > 16 ? length - 16 : 0;
}

/**
 * Makes a shape (the record of a line's keys) at the front of the list for its measurement, with room for `slots` keys
 * and then for `tail` bytes of long texts. Returns 0 when the shape is too large. The call may move the memory of all
 * shapes.
 */
export function newShape(hash: u32, slots: u32, tail: u32): u32 {
  // The added 16 bytes are needed because a comparison may read up to 16 bytes past the end of the shape (the record of
  // a line's keys).
  const size = (<u32>S_SLOTS + (slots + 1) * <u32>SLOT + tail + 16 + 15) & ~15;
  let shape = oldestOf(hash, size);
  if (!shape) {
    shape = takeShape(size);
    if (!shape) return 0;
    store<u32>(shapes + shape, size, S_ROOM);
  }
  store<u32>(shapes + shape, hash, S_HASH);
  store<u32>(shapes + shape, firstShape(hash), S_OTHER);
  store<u32>(directoryAt(hash), shape);
  return shape;
}

/**
 * Makes space in the list of a measurement's shapes (a shape is the remembered keys of a line) when the list is
 * full. Removes the oldest shape whose memory has at least `size` bytes, and returns its address, so that the
 * caller can overwrite it. When no shape has so much memory, removes the oldest shape and returns 0. The memory
 * of that shape then stays unused until all shapes are cleared.
 */
function oldestOf(hash: u32, size: u32): u32 {
  let count: u32 = 0;
  let before: u32 = 0;
  let found: u32 = 0;
  let foundBefore: u32 = 0;
  let hasRoom = false;
  for (let shape = firstShape(hash); shape; shape = load<u32>(shapes + shape, S_OTHER)) {
    if (load<u32>(shapes + shape, S_HASH) == hash) {
      count++;
      const fits = load<u32>(shapes + shape, S_ROOM) >= size;
      if (fits || !hasRoom) {
        found = shape;
        foundBefore = before;
        hasRoom = fits;
      }
    }
    before = shape;
  }
  if (count < MOST_OF_ONE) return 0;
  const behind = load<u32>(shapes + found, S_OTHER);
  if (foundBefore) store<u32>(shapes + foundBefore, behind, S_OTHER);
  else store<u32>(directoryAt(hash), behind);
  return hasRoom ? found : 0;
}

/**
 * Writes a measurement or key (`text`) and the byte that must follow it as a stored text at `at`; bytes after the first
 * 16 are written to the address `tail`.
 */
export function writeText(at: usize, text: usize, length: u32, behind: u8, tail: usize): void {
  v128.store(at, i8x16.splat(0));
  memory.copy(at, text, min(length, 16));
  if (length < 16) store<u8>(at + length, behind);
  const inHead = min(length + 1, 16);
  store<u32>(at, length >= 16 ? 0 : ~((1 << inHead) - 1), T_IDLE);
  store<u32>(at, length + 1, T_ADVANCE);
  store<u32>(at, <u32>(tail - shapes), T_TAIL);
  store<u32>(at, length >= 16 ? length - 15 : 0, T_TAIL_LENGTH);
  if (length > 16) memory.copy(tail, text + 16, length - 16);
}

/**
 * Compares the first 16 bytes at `p` with the stored text and returns a bit for each equal byte. A short text matches
 * when the bitwise OR of the result and the mask at T_IDLE has all bits set. For a long text, all 16 bits must be set,
 * and `tailMatches` compares its other bytes.
 */
// @ts-ignore: decorator
@inline
export function sameBits(at: usize, p: usize): i32 {
  return i8x16.bitmask(i8x16.eq(v128.load(p), v128.load(at)));
}

/** Returns whether the line at `p` begins with the stored text at `at`, followed by the byte `behind`. */
// @ts-ignore: decorator
@inline
export function textMatches(at: usize, p: usize, behind: u8): bool {
  const same = sameBits(at, p);
  return (same | load<i32>(at, T_IDLE)) == -1 || (same == 0xffff && tailMatches(at, p, behind));
}

// @ts-ignore: decorator
@inline
export function tailMatches(at: usize, p: usize, behind: u8): bool {
  const tail = load<u32>(at, T_TAIL_LENGTH);
  return tail && load<u8>(p + load<u32>(at, T_ADVANCE) - 1) == behind && sameBytes(shapes + load<u32>(at, T_TAIL), p + 16, tail - 1);
}
