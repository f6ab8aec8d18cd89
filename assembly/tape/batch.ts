// Making, growing and freeing a batch: the owner of every page that one decode uses.

import { givePages, growPages, pagesFor, takePages } from "../memory";
import {
  B_BODY, B_ENTRIES, B_ENTRY_COUNT, B_ENTRY_PAGES, B_FAILURES, B_FAILURE_COUNT, B_FAILURE_PAGES, B_HEAD, B_HEAP, B_HEAP_AT,
  B_HEAP_END, B_KEYS, B_KEY_PAGES, B_LENGTH, B_PAGES, B_POINTS, B_POINT_COUNT, B_POINT_PAGES, B_SLOTS, B_SLOT_MASK, B_SLOT_PAGES,
  ENTRY_SHIFT, FAILURE_SIZE, PADDING, POINT_SIZE, P_COUNT, P_FIRST,
} from "./layout";

/** Slots of a fresh key table: 1 KB to clear, 4 bytes each. */
const FIRST_SLOTS: u32 = 256;

/** A batch with room for a body of `length` bytes; the caller writes the body at B_BODY. Traps when memory is at its end. */
export function createBatch(length: u32): usize {
  const pages = pagesFor(length + <u32>(B_HEAD + PADDING));
  const batch = need(takePages(pages));
  memory.fill(batch, 0, B_HEAD);
  store<u32>(batch, <u32>(batch + B_HEAD), B_BODY);
  store<u32>(batch, length, B_LENGTH);
  store<u32>(batch, pages, B_PAGES);
  memory.fill(batch + B_HEAD + length, 0x0a, PADDING);
  // About one entry for 16 bytes of body; both double when that was too little.
  take(batch, B_POINTS, B_POINT_PAGES, 1);
  take(batch, B_ENTRIES, B_ENTRY_PAGES, pagesFor(length) + 1);
  take(batch, B_KEYS, B_KEY_PAGES, 1);
  take(batch, B_SLOTS, B_SLOT_PAGES, 1);
  store<u32>(batch, FIRST_SLOTS - 1, B_SLOT_MASK);
  memory.fill(load<u32>(batch, B_SLOTS), 0, FIRST_SLOTS << 2);
  return batch;
}

function take(batch: usize, at: usize, pagesAt: usize, pages: u32): void {
  store<u32>(batch + at, <u32>need(takePages(pages)));
  store<u32>(batch + pagesAt, pages);
}

export function need(address: usize): usize {
  if (!address) unreachable();
  return address;
}

/** Doubles one region of the batch; its address may change. */
export function growRegion(batch: usize, at: usize, pagesAt: usize): void {
  const pages = load<u32>(batch + pagesAt);
  store<u32>(batch + at, <u32>need(growPages(load<u32>(batch + at), pages, pages << 1)));
  store<u32>(batch + pagesAt, pages << 1);
}

export function freeBatch(batch: usize): void {
  let chunk = load<u32>(batch, B_HEAP);
  while (chunk) {
    const before = load<u32>(chunk);
    givePages(chunk, load<u32>(chunk, 4));
    chunk = before;
  }
  giveRegion(batch, B_POINTS, B_POINT_PAGES);
  giveRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
  giveRegion(batch, B_KEYS, B_KEY_PAGES);
  giveRegion(batch, B_SLOTS, B_SLOT_PAGES);
  giveRegion(batch, B_FAILURES, B_FAILURE_PAGES);
  givePages(batch, load<u32>(batch, B_PAGES));
}

function giveRegion(batch: usize, at: usize, pagesAt: usize): void {
  givePages(load<u32>(batch + at), load<u32>(batch + pagesAt));
}

/** `length` bytes of the batch's heap plus 16 bytes of padding; they never move. */
export function heapTake(batch: usize, length: u32): usize {
  const size = (length + 16 + 7) & ~7;
  const at = load<u32>(batch, B_HEAP_AT);
  if (at + size > load<u32>(batch, B_HEAP_END) || !at) {
    const pages = pagesFor(size + 8);
    const chunk = need(takePages(pages));
    store<u32>(chunk, load<u32>(batch, B_HEAP));
    store<u32>(chunk, pages, 4);
    store<u32>(batch, <u32>chunk, B_HEAP);
    store<u32>(batch, <u32>chunk + 8 + size, B_HEAP_AT);
    store<u32>(batch, <u32>chunk + (pages << 16), B_HEAP_END);
    return chunk + 8;
  }
  store<u32>(batch, at + size, B_HEAP_AT);
  return at;
}

/** Address of a fresh entry at the end of the tape. */
export function pushEntry(batch: usize): usize {
  const count = load<u32>(batch, B_ENTRY_COUNT);
  if (((count + 1) << <u32>ENTRY_SHIFT) > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
  store<u32>(batch, count + 1, B_ENTRY_COUNT);
  const entry = <usize>load<u32>(batch, B_ENTRIES) + (<usize>count << ENTRY_SHIFT);
  memory.fill(entry, 0, 1 << ENTRY_SHIFT);
  return entry;
}

/** Address of a fresh point. */
export function pushPoint(batch: usize): usize {
  const count = load<u32>(batch, B_POINT_COUNT);
  if ((count + 1) * <u32>POINT_SIZE > load<u32>(batch, B_POINT_PAGES) << 16) growRegion(batch, B_POINTS, B_POINT_PAGES);
  store<u32>(batch, count + 1, B_POINT_COUNT);
  return <usize>load<u32>(batch, B_POINTS) + <usize>count * POINT_SIZE;
}

/** Index of a fresh point with room for `entries` entries at the end of the tape, all zeroed. */
export function pushPointWith(batch: usize, entries: u32): u32 {
  const first = load<u32>(batch, B_ENTRY_COUNT);
  const count = first + entries;
  while (count << <u32>ENTRY_SHIFT > load<u32>(batch, B_ENTRY_PAGES) << 16) growRegion(batch, B_ENTRIES, B_ENTRY_PAGES);
  memory.fill(<usize>load<u32>(batch, B_ENTRIES) + (<usize>first << ENTRY_SHIFT), 0, <usize>entries << ENTRY_SHIFT);
  store<u32>(batch, count, B_ENTRY_COUNT);
  const point = pushPoint(batch);
  memory.fill(point, 0, POINT_SIZE);
  store<u32>(point, first, P_FIRST);
  store<u32>(point, entries, P_COUNT);
  return load<u32>(batch, B_POINT_COUNT) - 1;
}

/** Address of a fresh failure record, zeroed. */
export function pushFailure(batch: usize): usize {
  const count = load<u32>(batch, B_FAILURE_COUNT);
  if (!load<u32>(batch, B_FAILURES)) take(batch, B_FAILURES, B_FAILURE_PAGES, 1);
  else if ((count + 1) * <u32>FAILURE_SIZE > load<u32>(batch, B_FAILURE_PAGES) << 16) growRegion(batch, B_FAILURES, B_FAILURE_PAGES);
  store<u32>(batch, count + 1, B_FAILURE_COUNT);
  const failure = <usize>load<u32>(batch, B_FAILURES) + <usize>count * FAILURE_SIZE;
  memory.fill(failure, 0, FAILURE_SIZE);
  return failure;
}
