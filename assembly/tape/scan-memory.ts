// Memory that a scan has besides its batch: room for the tags of one line, and for shapes (line-protocol/shapes.ts). And the end of memory: a call
// that cannot go on without more of it traps; this memory is given back before that, so that an instance whose batch is freed owns all of its
// pages again.

import { givePages, growFrom } from "../memory/pages";
import { ENTRY_SHIFT } from "./layout";

/** The address of what was taken; traps when it is 0. */
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

// The tags of the line, as entries. The first may be left over: entries of a line that failed are overwritten by the next.
export let tags: usize = fewTags;
/** Bytes there is room for, and the pages that they take, 0 while they are few. */
let tagRoom: u32 = FEW_TAGS;
let tagPages: u32 = 0;
export let tagCount: u32 = 0;

export function setTagCount(count: u32): void {
  tagCount = count;
}

/** When a scan ends: what it took for lines of many tags goes back. */
export function giveTags(): void {
  givePages(tags, tagPages);
  tags = fewTags;
  tagRoom = FEW_TAGS;
  tagPages = 0;
}

/** Address of the next tag's entry. */
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

/** At the front: lists of shapes, the newest first, by the low bits of the measurement's hash. */
export const DIRECTORY: u32 = 1024;
const DIRECTORY_SIZE: u32 = DIRECTORY << 2;
/** Bytes of shapes that are kept from scan to scan; with more of them a scan takes pages, and all are forgotten when it ends. */
const KEPT: u32 = 131072;
/** A scan whose shapes need more starts over. */
const MOST_PAGES: u32 = 16;

const kept = memory.data(131072 + 16, 16);

/** Base of the memory of shapes. Shapes are named by their offset in it, 0 = none: it may move when a shape is added. */
export let shapes: usize = kept;
/** 0 while they are in the memory that is kept. */
let pages: u32 = 0;
let used: u32 = DIRECTORY_SIZE;

/** Counts the times that all shapes were forgotten: offsets kept from before mean nothing. */
export let era: u32 = 0;

export function forgetShapes(): void {
  era++;
  memory.fill(shapes, 0, DIRECTORY_SIZE);
  used = DIRECTORY_SIZE;
}

/** When a scan ends: what it took for many shapes goes back, and they with it. */
export function giveShapes(): void {
  if (!pages) return;
  givePages(shapes, pages);
  pages = 0;
  shapes = kept;
  forgetShapes();
}

/** Offset of so many bytes for a shape. All shapes are forgotten when there is no room beside them; 0 when there is none even then. */
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

/** Makes room when there is none; false when that is too much, or more than memory has: shapes save time, and nothing else. */
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
