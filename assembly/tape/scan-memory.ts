// Memory that a scan (the decoding of a body) needs besides its batch: room for the tags of one line, and for
// shapes (remembered key sequences of lines, which line-protocol/shapes.ts makes). This file also handles a lack
// of memory: a scan that cannot get more memory frees the memory of this file and then traps. The caller frees
// the batch, so no memory is lost.

import { givePages, growFrom } from "../memory/pages";
import { ENTRY_SHIFT } from "./layout";

/**
 * Returns the address of an allocation unchanged. Traps when the address is 0, which means that there was not
 * enough memory.
 */
// @ts-ignore: decorator
@inline
export function requireMemory(address: usize): usize {
  if (!address) endScan();
  return address;
}

function endScan(): void {
  releaseTags();
  releaseShapes();
  unreachable();
}

const FEW_TAGS: u32 = 8192;
const fewTags = memory.data(8192, 16);

// The tags of the current line, as entries. When a line cannot be parsed, its tags need not be removed: the next
// line overwrites them.
export let tags: usize = fewTags;
/** Size in bytes of the memory in which the tags of the current line are collected. */
let tagRoom: u32 = FEW_TAGS;
/** Number of pages of the memory for the tags of the current line; 0 while the tags fit into a small static area. */
let tagPages: u32 = 0;
export let tagCount: u32 = 0;

export function setTagCount(count: u32): void {
  tagCount = count;
}

/**
 * Frees the pages that were needed for lines with many tags. To be called when a scan (the decoding of a body) ends.
 */
export function releaseTags(): void {
  givePages(tags, tagPages);
  tags = fewTags;
  tagRoom = FEW_TAGS;
  tagPages = 0;
}

/** Adds an entry for the next tag of the line and returns its address. */
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
  tags = requireMemory(growFrom(tags, tagRoom, tagPages, more));
  tagPages = more;
  tagRoom = more << 16;
}

/**
 * Number of lists of shapes (remembered key sequences); each list has the newest shape first. The heads of the lists
 * are at the beginning of the memory of shapes. The low bits of a measurement's hash select its list.
 */
export const DIRECTORY: u32 = 1024;
const DIRECTORY_SIZE: u32 = DIRECTORY << 2;
/**
 * Size in bytes of the static memory for shapes (remembered key sequences of lines), which are kept from body to body:
 * room for about a thousand shapes. A scan (the decoding of a body) that needs more memory takes pages, and forgets all
 * shapes when it ends.
 */
const KEPT: u32 = 524288;
/**
 * Largest number of memory pages for shapes (remembered key sequences of lines). A scan (the decoding of a body) that
 * needs more pages removes all shapes, then stores new ones.
 */
const MOST_PAGES: u32 = 16;

const kept = memory.data(524288 + 16, 16);

/**
 * Base address of the memory of shapes (remembered key sequences). A shape is referred to by its offset in this memory
 * (0 = none), because the memory may move when a shape is added.
 */
export let shapes: usize = kept;
/**
 * Number of memory pages for shapes (remembered key sequences); 0 as long as the shapes fit into the static
 * memory.
 */
let pages: u32 = 0;
let used: u32 = DIRECTORY_SIZE;

/**
 * Number of times that all shapes (remembered key sequences) were forgotten. Code that keeps the offset of a shape also
 * keeps this number: when the number has changed, the offset is no longer valid.
 */
export let shapesEpoch: u32 = 0;

export function forgetShapes(): void {
  shapesEpoch++;
  memory.fill(shapes, 0, DIRECTORY_SIZE);
  used = DIRECTORY_SIZE;
}

/**
 * Frees the pages of shapes (remembered key sequences), and forgets all shapes in these pages. To be called when a scan
 * ends.
 */
export function releaseShapes(): void {
  if (!pages) return;
  givePages(shapes, pages);
  pages = 0;
  shapes = kept;
  forgetShapes();
}

/**
 * Allocates `size` bytes for a shape (remembered key sequence) and returns their offset. When there is no room, forgets
 * all shapes first; returns 0 when there is no room even then.
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
 * Grows the memory of shapes (remembered key sequences), if necessary, so that it has room for a shape of `size` bytes.
 * Returns false when the limit for shapes is reached or no more memory is available. A scan can continue without new
 * shapes, because they only save time.
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
