// The memory of shapes: header and slots, one slot a key; found by measurement, at most four for each.

import { givePages, growPages, takePages } from "../memory";
import { need } from "../tape/batch";
import { keyAt, sameBytes } from "../tape/keys";
import { K_LENGTH, K_TEXT } from "../tape/layout";

// A text to compare: its first 16 bytes with the byte behind it, zeros where it is shorter.
/** Bits of the 16 bytes that do not count, and all above them; 0 when there are other bytes. */
export const T_IDLE: usize = 16;
/** Length with the byte behind the key. */
export const T_ADVANCE: usize = 20;
/** Of a key of 16 bytes or more: where its other bytes lie, and how many they are, plus 1; 0 = the first 16 bytes say it all. */
const T_REST: usize = 24;
const T_REST_LENGTH: usize = 28;

// A slot: a key of the line, `=` included.
/** Key id, kind and flags, as the first 8 bytes of a tag's entry. */
export const L_ENTRY: usize = 32;
/** Of a tag: where it goes, in bytes from the line's first entry. */
export const L_PLACE: usize = 40;
/** Length of the tag value or number in the last line. */
export const L_WIDTH: usize = 44;
export const SLOT: usize = 48;

// A shape: the text of the measurement with the comma or space behind it, then:
export const S_NAME: usize = 32;
export const S_TAGS: usize = 36;
export const S_FIELDS: usize = 40;
/** The corrections have work with keys or counts. */
export const S_ATTENTION: usize = 44;
/** The category's required key is not among the keys. */
export const S_INCOMPLETE: usize = 48;
/** The shape that followed last time: offset. */
export const S_FOLLOWER: usize = 52;
/** Another shape of this measurement: offset. */
export const S_OTHER: usize = 56;
/** Slots there is room for. */
export const S_ROOM: usize = 60;
export const S_SLOTS: usize = 64;

/** Base of the memory of shapes. Shapes are named by their offset in it, 0 = none: it may move when a shape is added. */
export let shapes: usize = 0;
let pages: u32 = 0;
let used: u32 = 0;

/** At the front: for each measurement, by the low bits of its id, id + 1 and its newest shape. */
const DIRECTORY: u32 = 256;
const DIRECTORY_SIZE: u32 = DIRECTORY << 3;
/** A body whose shapes need more starts over. */
const MOST_PAGES: u32 = 16;
const MOST_OF_ONE: u32 = 4;

export function takeShapes(): void {
  shapes = need(takePages(1));
  pages = 1;
  forgetShapes();
}

export function giveShapes(): void {
  givePages(shapes, pages);
}

/** Counts the times that all shapes were forgotten: offsets kept from before mean nothing. */
export let era: u32 = 0;

export function forgetShapes(): void {
  era++;
  memory.fill(shapes, 0, DIRECTORY_SIZE);
  used = DIRECTORY_SIZE;
}

// @ts-ignore: decorator
@inline
function directoryAt(name: u32): usize {
  return shapes + (<usize>(name & (DIRECTORY - 1)) << 3);
}

/** Newest shape of the measurement with this id. */
export function shapeOf(name: u32): u32 {
  const at = directoryAt(name);
  return load<u32>(at) == name + 1 ? load<u32>(at, 4) : 0;
}

/** Makes a slot that no text matches, to stand behind the last. */
export function closeSlots(at: usize): void {
  memory.fill(at, 0, SLOT);
}

/** A shape with room for `slots` keys, the newest of its measurement, empty; 0 when that is too many. The memory may move. */
export function newShape(name: u32, slots: u32): u32 {
  const reused = oldestOf(name, slots);
  if (reused) return reused;
  const size = <u32>S_SLOTS + (slots + 1) * <u32>SLOT;
  if (size > (MOST_PAGES << 16) - DIRECTORY_SIZE) return 0;
  if (used + size > MOST_PAGES << 16) forgetShapes();
  if (used + size > pages << 16) {
    let more = pages;
    while (used + size > more << 16) more <<= 1;
    shapes = need(growPages(shapes, pages, more));
    pages = more;
  }
  const shape = used;
  used += size;
  const at = directoryAt(name);
  store<u32>(shapes + shape, load<u32>(at) == name + 1 ? load<u32>(at, 4) : 0, S_OTHER);
  store<u32>(shapes + shape, slots, S_ROOM);
  store<u32>(at, name + 1);
  store<u32>(at, shape, 4);
  return shape;
}

/** When the measurement has its number of shapes: the last in the chain that has room, moved to the front. */
function oldestOf(name: u32, slots: u32): u32 {
  const first = shapeOf(name);
  let count: u32 = 0;
  let before: u32 = 0;
  let found: u32 = 0;
  let foundBefore: u32 = 0;
  for (let shape = first; shape; shape = load<u32>(shapes + shape, S_OTHER)) {
    if (load<u32>(shapes + shape, S_ROOM) >= slots) {
      found = shape;
      foundBefore = before;
    }
    before = shape;
    count++;
  }
  if (count < MOST_OF_ONE || !found) return 0;
  if (foundBefore) {
    store<u32>(shapes + foundBefore, load<u32>(shapes + found, S_OTHER), S_OTHER);
    store<u32>(shapes + found, first, S_OTHER);
    store<u32>(directoryAt(name), found, 4);
  }
  return found;
}

/** Writes the text of a key with the byte that stands behind it. */
export function writeText(at: usize, batch: usize, key: u32, behind: u8): void {
  const record = keyAt(batch, key);
  const text = <usize>load<u32>(record, K_TEXT);
  const length = load<u32>(record, K_LENGTH);
  v128.store(at, i8x16.splat(0));
  memory.copy(at, text, min(length, 16));
  if (length < 16) store<u8>(at + length, behind);
  const inHead = min(length + 1, 16);
  store<u32>(at, length >= 16 ? 0 : ~((1 << inHead) - 1), T_IDLE);
  store<u32>(at, length + 1, T_ADVANCE);
  store<u32>(at, length >= 16 ? <u32>text + 16 : 0, T_REST);
  store<u32>(at, length >= 16 ? length - 15 : 0, T_REST_LENGTH);
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
  return rest && load<u8>(p + load<u32>(at, T_ADVANCE) - 1) == behind && sameBytes(load<u32>(at, T_REST), p + 16, rest - 1);
}
