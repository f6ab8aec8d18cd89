// Makes, grows and frees a batch, which owns all memory pages that hold one decoded body: the body, its points, entries
// and keys.

import { givePages, growPages, pagesFor, takePages } from "../memory/pages";
import {
  B_ATTENTION, B_BEHIND, B_BODY, B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, B_FAILURES, B_FAILURE_COUNT, B_FAILURE_PAGES, B_HEAD, B_HEAP,
  B_HEAP_AT, B_HEAP_END, B_KEYS, B_KEY_COUNT, B_KEY_PAGES, B_LENGTH, B_NEXT_LINE, B_NOTES, B_NOTE_COUNT, B_NOTE_PAGES, B_PAGES, B_POINTS,
  B_POINT_COUNT, B_POINT_PAGES, B_RANKED, B_SLOTS, B_SLOT_MASK, B_SLOT_PAGES, B_UNRANKED, B_WARNINGS, ELEMENT_SHIFT, ENTRY_SHIFT,
  FAILURE_SIZE, NOTE_SIZE, PADDING, POINT_SIZE, P_COUNT, P_FIRST,
} from "./layout";
import { requireMemory } from "./scan-memory";

/** Number of slots of a new hash table for keys. A slot takes 4 bytes, so 1 KB has to be cleared for each batch. */
const FIRST_SLOTS: u32 = 256;

/**
 * Makes a batch with room for a body of `length` bytes; the caller writes the body to the address in B_BODY. When there
 * is not enough memory, frees the pages taken so far and traps.
 */
export function createBatch(length: u32): usize {
  const pages = pagesFor(<u64>length + (B_HEAD + PADDING));
  const batch = requireMemory(takePages(pages));
  for (let at: usize = 0; at < B_HEAD; at += 16) v128.store(batch + at, i64x2.splat(0));
  store<u32>(batch, <u32>(batch + B_HEAD), B_BODY);
  store<u32>(batch, length, B_LENGTH);
  store<u32>(batch, pages, B_PAGES);
  const behind = batch + B_HEAD + length;
  for (let at: usize = 0; at < PADDING; at += 16) v128.store(behind + at, i8x16.splat(0x0a));
  store<u32>(batch, <u32>(batch + B_HEAD), B_NEXT_LINE);
  store<u32>(batch, <u32>(batch + B_HEAD), B_BEHIND);
  // The first size of the tape (the memory for decoded entries) is a guess: one entry for each 32 bytes of the
  // body, up to 1 MB of entries. The memory of the entries is allocated last, so that it can grow without moving.
  const guess = min(pagesFor(length), 16);
  const isWhole =
    take(batch, B_POINTS, B_POINT_PAGES, 1 + (guess >> 2)) && take(batch, B_KEYS, B_KEY_PAGES, 1) && take(batch, B_SLOTS, B_SLOT_PAGES, 1) &&
    take(batch, B_ENTRIES, B_ENTRY_PAGES, 1 + guess);
  if (!isWhole) {
    freeBatch(batch);
    unreachable();
  }
  forgetKeys(batch);
  return batch;
}

function forgetKeys(batch: usize): void {
  store<u32>(batch, 0, B_KEY_COUNT);
  store<u32>(batch, 0, B_RANKED);
  store<u32>(batch, 0, B_UNRANKED);
  store<u32>(batch, FIRST_SLOTS - 1, B_SLOT_MASK);
  memory.fill(load<u32>(batch, B_SLOTS), 0, FIRST_SLOTS << 2);
}

/**
 * Removes all points, but keeps the body, the failures and the position at which decoding continues. The memory of the
 * removed points is then free for the next part of the body.
 */
export function clearTape(batch: usize): void {
  freeHeap(batch);
  store<u32>(batch, 0, B_HEAP);
  store<u32>(batch, 0, B_HEAP_AT);
  store<u32>(batch, 0, B_HEAP_END);
  store<u32>(batch, 0, B_POINT_COUNT);
  store<u32>(batch, 0, B_ENTRY_COUNT);
  store<u32>(batch, 0, B_NOTE_COUNT);
  store<u32>(batch, 0, B_ATTENTION);
  store<u32>(batch, 0, B_WARNINGS);
  forgetKeys(batch);
}

/**
 * Allocates pages for one list of the batch, such as its points. When there is no more memory, returns false and leaves
 * the list without pages.
 */
function take(batch: usize, at: usize, pagesAt: usize, pages: u32): bool {
  const address = takePages(pages);
  if (!address) return false;
  store<u32>(batch + at, <u32>address);
  store<u32>(batch + pagesAt, pages);
  return true;
}

/** Grows the memory of one list of the batch, such as its points, by half. The list may move to another address. */
export function growRegion(batch: usize, at: usize, pagesAt: usize): void {
  const pages = load<u32>(batch + pagesAt);
  const more = pages + ((pages + 1) >> 1);
  store<u32>(batch + at, <u32>requireMemory(growPages(load<u32>(batch + at), pages, more)));
  store<u32>(batch + pagesAt, more);
}

function freeHeap(batch: usize): void {
  let chunk = load<u32>(batch, B_HEAP);
  while (chunk) {
    const before = load<u32>(chunk);
    givePages(chunk, load<u32>(chunk, 4));
    chunk = before;
  }
}

export function freeBatch(batch: usize): void {
  freeHeap(batch);
  giveRegion(batch, B_POINTS, B_POINT_PAGES);
  giveRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
  giveRegion(batch, B_KEYS, B_KEY_PAGES);
  giveRegion(batch, B_SLOTS, B_SLOT_PAGES);
  giveRegion(batch, B_FAILURES, B_FAILURE_PAGES);
  giveRegion(batch, B_NOTES, B_NOTE_PAGES);
  givePages(batch, load<u32>(batch, B_PAGES));
}

function giveRegion(batch: usize, at: usize, pagesAt: usize): void {
  givePages(load<u32>(batch + at), load<u32>(batch + pagesAt));
}

/**
 * Allocates `length` bytes on the batch's heap, with 16 bytes of padding, and returns their address. The bytes never
 * move.
 */
export function heapTake(batch: usize, length: u32): usize {
  const size = (<u64>length + 16 + 7) & ~7;
  const at = load<u32>(batch, B_HEAP_AT);
  // The end address of the last page of the 32-bit memory does not fit 32 bits and becomes 0. So the code compares
  // lengths and not addresses.
  if (size > <u64>(load<u32>(batch, B_HEAP_END) - at)) {
    const pages = pagesFor(size + 8);
    const chunk = requireMemory(takePages(pages));
    store<u32>(chunk, load<u32>(batch, B_HEAP));
    store<u32>(chunk, pages, 4);
    store<u32>(batch, <u32>chunk, B_HEAP);
    store<u32>(batch, <u32>chunk + 8 + <u32>size, B_HEAP_AT);
    store<u32>(batch, <u32>chunk + (pages << 16), B_HEAP_END);
    return chunk + 8;
  }
  store<u32>(batch, at + <u32>size, B_HEAP_AT);
  return at;
}

/** Allocates heap memory for `count` elements of an array and returns its address. */
export function heapElements(batch: usize, count: u32): usize {
  // When the size of the elements exceeds 32 bits, the greatest possible size is requested, and the allocation fails.
  return heapTake(batch, count > u32.MAX_VALUE >> <u32>ELEMENT_SHIFT ? u32.MAX_VALUE : count << <u32>ELEMENT_SHIFT);
}

/**
 * Frees the unused end of the memory at `address`, which must be the newest allocation on the heap. Keeps the first
 * `length` bytes and the padding after them.
 */
export function heapKeep(batch: usize, address: usize, length: u32): void {
  store<u32>(batch, <u32>address + (length ? (length + 16 + 7) & ~7 : 0), B_HEAP_AT);
}

/** Adds a zeroed entry at the end of the tape (the decoded entries) and returns its address. */
export function pushEntry(batch: usize): usize {
  const count = load<u32>(batch, B_ENTRY_COUNT);
  if (((count + 1) << <u32>ENTRY_SHIFT) > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
  store<u32>(batch, count + 1, B_ENTRY_COUNT);
  const entry = <usize>load<u32>(batch, B_ENTRIES) + (<usize>count << ENTRY_SHIFT);
  v128.store(entry, i64x2.splat(0));
  v128.store(entry, i64x2.splat(0), 16);
  return entry;
}

/** Makes sure that `more` entries fit at the end of the tape (the decoded entries). */
export function reserveEntries(batch: usize, more: u32): void {
  const count = load<u32>(batch, B_ENTRY_COUNT) + more;
  while (count << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
}

/** Adds an empty point to the batch and returns the address of the point's header. */
// @ts-ignore: decorator
@inline
export function pushPoint(batch: usize): usize {
  const count = load<u32>(batch, B_POINT_COUNT);
  if ((count + 1) * <u32>POINT_SIZE > load<u32>(batch, B_POINT_PAGES) << 16) growRegion(batch, B_POINTS, B_POINT_PAGES);
  store<u32>(batch, count + 1, B_POINT_COUNT);
  return <usize>load<u32>(batch, B_POINTS) + <usize>count * POINT_SIZE;
}

/**
 * Adds a zeroed point, and `entries` zeroed entries for it at the end of the tape (the decoded entries). Returns the
 * index of the point.
 */
export function pushPointWith(batch: usize, entries: u32): u32 {
  const first = load<u32>(batch, B_ENTRY_COUNT);
  const count = first + entries;
  reserveEntries(batch, entries);
  memory.fill(<usize>load<u32>(batch, B_ENTRIES) + (<usize>first << ENTRY_SHIFT), 0, <usize>entries << ENTRY_SHIFT);
  store<u32>(batch, count, B_ENTRY_COUNT);
  const point = pushPoint(batch);
  memory.fill(point, 0, POINT_SIZE);
  store<u32>(point, first, P_FIRST);
  store<u32>(point, entries, P_COUNT);
  return load<u32>(batch, B_POINT_COUNT) - 1;
}

/** Adds a failure record (the record of a line that cannot be parsed), filled with zeros, and returns its address. */
export function pushFailure(batch: usize): usize {
  return pushRecord(batch, B_FAILURES, B_FAILURE_COUNT, B_FAILURE_PAGES, FAILURE_SIZE);
}

/** Adds a zeroed note (a record of one correction) and returns its address. */
export function pushNote(batch: usize): usize {
  return pushRecord(batch, B_NOTES, B_NOTE_COUNT, B_NOTE_PAGES, NOTE_SIZE);
}

/**
 * Adds a record to a list that most batches do not need, such as the failures. Pages for the list are allocated with
 * its first record.
 */
function pushRecord(batch: usize, at: usize, countAt: usize, pagesAt: usize, size: usize): usize {
  const count = load<u32>(batch + countAt);
  if (!load<u32>(batch + at)) requireMemory(take(batch, at, pagesAt, 1));
  else if ((count + 1) * <u32>size > load<u32>(batch + pagesAt) << 16) growRegion(batch, at, pagesAt);
  store<u32>(batch + countAt, count + 1);
  const record = <usize>load<u32>(batch + at) + <usize>count * size;
  memory.fill(record, 0, size);
  return record;
}
