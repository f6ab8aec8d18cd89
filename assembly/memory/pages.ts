// Linear memory by pages of 64 KB: a table with one byte a page, runs handed out first fit, given back to the same table.
// Everything a batch owns (body, points, entries, keys, heap) is such a run; nothing else allocates. Address 0 is never handed out.

export const PAGE_SHIFT: u32 = 16;
const PAGE: usize = 65536;

// One byte for each of the 65536 pages that 32-bit memory can have: 1 in use, 0 free. It fills the first page after the static data.
let table: usize = 0;
let firstPage: u32 = 0;
/** No page below this one is free. */
let lowest: u32 = 0;
let used: u32 = 0;

function prepare(): void {
  table = (__heap_base + PAGE - 1) & ~(PAGE - 1);
  const at = <u32>(table >> PAGE_SHIFT);
  if (at >= <u32>memory.size()) memory.grow(at + 1 - memory.size());
  firstPage = at + 1;
  lowest = firstPage;
}

/** Of 64 bits: a sum or product of lengths may be more than memory can ever be, and must not come out as little. */
export function pagesFor(bytes: u64): u32 {
  return <u32>((bytes + (PAGE - 1)) >> PAGE_SHIFT);
}

/**
 * Makes memory larger by `count` pages or more, false when it cannot grow so far. A growth costs the host a garbage collection, so memory grows by an
 * eighth at least, and near the host's limit by the largest half, quarter and so on of that eighth that the host gives.
 */
function grow(count: u32): bool {
  for (let step = <u32>memory.size() >> 3; step > count; step >>= 1) if (memory.grow(<i32>step) >= 0) return true;
  return memory.grow(<i32>count) >= 0;
}

/** Address of a run of `count` pages, 0 when memory cannot grow any more. The content is whatever was there. */
export function takePages(count: u32): usize {
  if (!table) prepare();
  const size = <u32>memory.size();
  let run: u32 = 0;
  let page = lowest;
  for (; page < size; page++) {
    if (load<u8>(table + page)) run = 0;
    else if (++run == count) return claim(page + 1 - count, count);
  }
  const first = size - run;
  if (!grow(count - run)) return 0;
  return claim(first, count);
}

function claim(first: u32, count: u32): usize {
  mark(first, count, 1);
  if (first == lowest) lowest = first + count;
  used += count;
  return <usize>first << PAGE_SHIFT;
}

/** Most runs have a page or two, for which the bulk operation would be a call out of the module. */
function mark(first: u32, count: u32, use: u8): void {
  if (count > 8) memory.fill(table + first, use, count);
  else for (let page = first; page < first + count; page++) store<u8>(table + page, use);
}

export function givePages(address: usize, count: u32): void {
  if (!count) return;
  const first = <u32>(address >> PAGE_SHIFT);
  mark(first, count, 0);
  if (first < lowest) lowest = first;
  used -= count;
}

/** The same content in a run of `to` pages: in place when the pages behind are free, else moved. 0 when memory is at its end. */
export function growPages(address: usize, from: u32, to: u32): usize {
  const behind = <u32>(address >> PAGE_SHIFT) + from;
  const more = to - from;
  const size = <u32>memory.size();
  let free: u32 = 0;
  while (free < more && behind + free < size && !load<u8>(table + behind + free)) free++;
  if (free == more || (behind + free == size && grow(more - free))) {
    claim(behind, more);
    return address;
  }
  const moved = takePages(to);
  if (!moved) return 0;
  memory.copy(moved, address, <usize>from << PAGE_SHIFT);
  givePages(address, from);
  return moved;
}

/** The same for what lies outside of the pages while it is small: `used` bytes of it move to a run when it has none, `from` being 0. */
export function growFrom(address: usize, used: u32, from: u32, to: u32): usize {
  if (from) return growPages(address, from, to);
  const taken = takePages(to);
  if (taken) memory.copy(taken, address, used);
  return taken;
}

/** Pages in use now. */
export function pagesInUse(): u32 {
  return used;
}

/** Where JavaScript puts a short text for the length of one call. */
export const SCRATCH_SIZE: u32 = 4096;
const scratch = memory.data(4096 + 16, 16);

export function scratchAddress(): usize {
  return scratch;
}
