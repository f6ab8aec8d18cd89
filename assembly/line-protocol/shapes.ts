// The layout of shapes: header, slots, one slot a key, and what is left of long texts; found by measurement, at most sixteen for each. Shapes
// outlast the body that they were made from: its sender sends the same keys again. Their memory is that of tape/scan-memory.ts.

import { sameBytes } from "../tape/keys";
import { DIRECTORY, forgetShapes, shapes, takeShape } from "../tape/scan-memory";

// A text to compare: its first 16 bytes with the byte behind it, zeros where it is shorter.
/** Bits of the 16 bytes that do not count, and all above them; 0 when there are other bytes. */
export const T_IDLE: usize = 16;
/** Length with the byte behind the key. */
export const T_ADVANCE: usize = 20;
/** Of a key of 16 bytes or more: offset of its other bytes, and how many they are, plus 1; 0 = the first 16 bytes say it all. */
const T_REST: usize = 24;
const T_REST_LENGTH: usize = 28;

// A slot: a key of the line, `=` included.
/** Key id in the batch that S_SCAN is about, kind and flags, as the first 8 bytes of a tag's entry. */
export const L_ENTRY: usize = 32;
/** Of a tag: where it goes, in bytes from the line's first entry. */
export const L_PLACE: usize = 40;
/** Of a tag: length of its value in the last line. */
export const L_WIDTH: usize = 44;
/** Of a field: hash of its key. */
export const L_HASH: usize = 40;
export const SLOT: usize = 48;

// A shape: the text of the measurement with the comma or space behind it, then:
/** Of the scan that S_SCAN names: where the measurement stands, whether the corrections have work with keys or counts, and whether the category's
 * required key is not among the keys. */
export const S_NAME: usize = 32;
export const S_TAGS: usize = 36;
export const S_FIELDS: usize = 40;
export const S_ATTENTION: usize = 44;
export const S_INCOMPLETE: usize = 48;
/** The shape that followed last time: offset. */
export const S_FOLLOWER: usize = 52;
/** Another shape in the same list of the directory: offset. */
export const S_OTHER: usize = 56;
/** Bytes there is room for. */
const S_ROOM: usize = 60;
/** The scan, by its number, in whose batch the keys have the ids of the slots. */
export const S_SCAN: usize = 64;
/** Hash of the measurement. */
export const S_HASH: usize = 68;
/** Whether a field's key has a quote, which not every decoder takes without an escape. */
export const S_QUOTED: usize = 72;
export const S_SLOTS: usize = 80;

/** Shapes of one measurement. */
const MOST_OF_ONE: u32 = 16;

/** Number of the scan, from 1. */
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

/** The newest shape of the measurement with this hash, or of another. */
export function firstShape(hash: u32): u32 {
  return load<u32>(directoryAt(hash));
}

/** Makes a slot that no text matches, to stand behind the last. */
export function closeSlots(at: usize): void {
  memory.fill(at, 0, SLOT);
}

/** Bytes of a text beyond the first 16, which lie behind the slots. */
// @ts-ignore: decorator
@inline
export function restOf(length: u32): u32 {
  return length > 16 ? length - 16 : 0;
}

/**
 * A shape with room for `slots` keys and `rest` bytes of long texts behind them, at the front of its list; 0 when that is too many. The memory may
 * move.
 */
export function newShape(hash: u32, slots: u32, rest: u32): u32 {
  // What compares them reads up to 16 bytes more.
  const size = (<u32>S_SLOTS + (slots + 1) * <u32>SLOT + rest + 16 + 15) & ~15;
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
 * When the measurement has its number of shapes, one is taken out of its list: the oldest that has room, to be used again. Where none has, the
 * oldest goes all the same, so that there are never more to try, and its bytes are lost until all shapes are forgotten.
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

/** Writes a text with the byte that stands behind it; its bytes beyond the first 16 to `rest`. */
export function writeText(at: usize, text: usize, length: u32, behind: u8, rest: usize): void {
  v128.store(at, i8x16.splat(0));
  memory.copy(at, text, min(length, 16));
  if (length < 16) store<u8>(at + length, behind);
  const inHead = min(length + 1, 16);
  store<u32>(at, length >= 16 ? 0 : ~((1 << inHead) - 1), T_IDLE);
  store<u32>(at, length + 1, T_ADVANCE);
  store<u32>(at, <u32>(rest - shapes), T_REST);
  store<u32>(at, length >= 16 ? length - 15 : 0, T_REST_LENGTH);
  if (length > 16) memory.copy(rest, text + 16, length - 16);
}

/** Which of the first 16 bytes of the text stand at `p`: with T_IDLE all bits for a short text, else the 16 for `restStands` to go on. */
// @ts-ignore: decorator
@inline
export function sameBits(at: usize, p: usize): i32 {
  return i8x16.bitmask(i8x16.eq(v128.load(p), v128.load(at)));
}

/** Does the text stand at `p`, and `behind` after it? */
// @ts-ignore: decorator
@inline
export function stands(at: usize, p: usize, behind: u8): bool {
  const same = sameBits(at, p);
  return (same | load<i32>(at, T_IDLE)) == -1 || (same == 0xffff && restStands(at, p, behind));
}

// @ts-ignore: decorator
@inline
export function restStands(at: usize, p: usize, behind: u8): bool {
  const rest = load<u32>(at, T_REST_LENGTH);
  return rest && load<u8>(p + load<u32>(at, T_ADVANCE) - 1) == behind && sameBytes(shapes + load<u32>(at, T_REST), p + 16, rest - 1);
}
