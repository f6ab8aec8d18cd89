// Memory that a scan needs besides its batch: room for the tags of one line, and for shapes (line-protocol/shapes.ts).
// Also handles the end of memory: a call that cannot go on without more memory traps, and first gives this memory back,
// so that an instance owns all of its pages again when its batch is freed.

import { givePages, growFrom } from "../memory/pages";
import { ENTRY_SHIFT } from "./layout";

/** Returns the address; traps when it is 0 because there was no memory. */
// @ts-ignore: decorator
@inline
export function need(address: usize): usize {
  if (!address) endScan();
  return address;
}

function endScan(): void {
  giveTags();
  giveShapes();
  unreachable();
}

const FEW_TAGS: u32 = 8192;
const fewTags = memory.data(8192, 16);

// The tags of the line, as entries. They need no clearing: the next line overwrites the entries of a line that failed.
export let tags: usize = fewTags;
/** Size of this memory in bytes, and the pages that it takes: 0 while the tags fit the static area. */
let tagRoom: u32 = FEW_TAGS;
let tagPages: u32 = 0;
export let tagCount: u32 = 0;

export function setTagCount(count: u32): void {
  tagCount = count;
}

/** Frees the pages of lines with many tags when a scan ends. */
export function giveTags(): void {
  givePages(tags, tagPages);
  tags = fewTags;
  tagRoom = FEW_TAGS;
  tagPages = 0;
}

/** Returns the address of the next tag's entry. */
// @ts-ignore: decorator
@inline
export function pushTag(): usize {
  if ((tagCount + 1) << <u32>ENTRY_SHIFT > tagRoom) growTags();
  const index = tagCount;
  tagCount = index + 1;
  return tags + (<usize>index << ENTRY_SHIFT);
}

function growTags(): void {
  const more = tagPages ? tagPages << 1 : 1;
  tags = need(growFrom(tags, tagRoom, tagPages, more));
  tagPages = more;
  tagRoom = more << 16;
}

/**
 * Number of lists of shapes, which stand at the front, newest shape first; the low bits of the measurement's hash
 * select the list.
 */
export const DIRECTORY: u32 = 1024;
const DIRECTORY_SIZE: u32 = DIRECTORY << 2;
/**
 * Bytes of shapes that are kept from scan to scan. With more shapes a scan takes pages, and forgets all shapes when it
 * ends.
 */
const KEPT: u32 = 131072;
/** Most pages of shapes; a scan that needs more forgets all shapes and starts over. */
const MOST_PAGES: u32 = 16;

const kept = memory.data(131072 + 16, 16);

/**
 * Base address of the memory of shapes. A shape is named by its offset in this memory (0 = none), because the memory
 * may move when a shape is added.
 */
export let shapes: usize = kept;
/** Number of pages; 0 while the shapes are in the memory that is kept. */
let pages: u32 = 0;
let used: u32 = DIRECTORY_SIZE;

/** Counts how often all shapes were forgotten: an offset from an earlier era is not valid. */
export let era: u32 = 0;

export function forgetShapes(): void {
  era++;
  memory.fill(shapes, 0, DIRECTORY_SIZE);
  used = DIRECTORY_SIZE;
}

/** Frees the pages of shapes when a scan ends, together with all shapes. */
export function giveShapes(): void {
  if (!pages) return;
  givePages(shapes, pages);
  pages = 0;
  shapes = kept;
  forgetShapes();
}

/**
 * Returns the offset of `size` bytes for a shape. When there is no room, forgets all shapes; returns 0 when there is no
 * room even then.
 */
export function takeShape(size: u32): u32 {
  if (size > (MOST_PAGES << 16) - DIRECTORY_SIZE) return 0;
  if (!hasRoomFor(size)) {
    forgetShapes();
    if (!hasRoomFor(size)) return 0;
  }
  const shape = used;
  used += size;
  return shape;
}

/**
 * Makes room when there is none. Returns false when this would exceed the limit or the memory; shapes only save time,
 * so a scan can go on without them.
 */
function hasRoomFor(size: u32): bool {
  const needed = used + size;
  if (needed <= (pages ? pages << 16 : KEPT)) return true;
  if (needed > MOST_PAGES << 16) return false;
  let more = max(pages, KEPT >> 16);
  while (needed > more << 16) more <<= 1;
  const grown = growFrom(shapes, used, pages, more);
  if (!grown) return false;
  shapes = grown;
  pages = more;
  return true;
}
