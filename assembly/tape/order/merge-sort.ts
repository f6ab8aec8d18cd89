// Sorts records of 16 bytes. The first 8 bytes of a record are a u64 that decides the order; a u32 follows,
// which the sort only moves along. Uses a bottom-up merge sort. This sort is stable, its time does not depend on
// the input, and it only copies parts that are in order already.

import { compareKeys } from "../keys";

export const RECORD_SHIFT: usize = 4;
/** Offset in bytes of a record's u32, which does not decide the order. */
export const R_ID: usize = 8;

/** Size in bytes of a run: neighbouring records that are sorted by insertion, before merge sort joins the runs. */
const RUN: usize = 8 << RECORD_SHIFT;

/**
 * Sorts the `count` records at `from`. `other` is the address of a second memory area, with room for as many records.
 * Returns the address of the area that has the sorted records: `from` or `other`. When `batch` is not 0, the u32 of a
 * record is the id of a key, and records with the same u64 are sorted by their keys; when it is 0, such records keep
 * their order.
 */
export function sortRecords(batch: usize, from: usize, other: usize, count: u32): usize {
  const size = <usize>count << RECORD_SHIFT;
  for (let run: usize = 0; run < size; run += RUN) insertRun(batch, from + run, from + min(run + RUN, size));
  for (let width = RUN; width < size; width <<= 1) {
    for (let at: usize = 0; at < size; at += width << 1) {
      mergeRuns(batch, from + at, from + min(at + width, size), from + min(at + (width << 1), size), other + at);
    }
    const held = from;
    from = other;
    other = held;
  }
  return from;
}

/** Returns whether the record at `b` must be moved before the record at `a`, which now precedes it. */
// @ts-ignore: decorator
@inline
function isBefore(batch: usize, b: usize, a: usize): bool {
  const left = load<u64>(a);
  const right = load<u64>(b);
  if (left != right || !batch) return right < left;
  return compareKeys(batch, load<u32>(b, R_ID), load<u32>(a, R_ID)) < 0;
}

function insertRun(batch: usize, first: usize, end: usize): void {
  const size: usize = 1 << RECORD_SHIFT;
  for (let next = first + size; next < end; next += size) {
    let at = next;
    while (at > first && isBefore(batch, at, at - size)) {
      const held = v128.load(at);
      v128.store(at, v128.load(at - size));
      v128.store(at - size, held);
      at -= size;
    }
  }
}

/** Merges two sorted groups of records: those from `left` to `middle`, and those from `middle` to `end`. */
function mergeRuns(batch: usize, left: usize, middle: usize, end: usize, to: usize): void {
  const size: usize = 1 << RECORD_SHIFT;
  if (middle >= end || !isBefore(batch, middle, middle - size)) {
    memory.copy(to, left, end - left);
    return;
  }
  const stop = middle;
  let right = middle;
  for (; left < stop && right < end; to += size) {
    const takesRight = isBefore(batch, right, left);
    const taken = takesRight ? right : left;
    v128.store(to, v128.load(taken));
    if (takesRight) right += size;
    else left += size;
  }
  memory.copy(to, left, stop - left);
  memory.copy(to + (stop - left), right, end - right);
}
