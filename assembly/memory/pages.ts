// Allocates linear memory in pages of 64 KB. A table has one byte for each page. An allocation takes the first group of
// consecutive free pages that is long enough; pages that are freed are marked in the same table. Everything that a
// batch owns (body, points, entries, keys, heap) lies in such groups of pages; there is no other allocator. Address 0
// is never handed out.

export const PAGE_SHIFT: u32 = 16;
const PAGE: usize = 65536;

// One byte for each of the 65536 pages that 32-bit memory can have: 1 in use, 0 free. The table fills the first page
// after the static data.
let table: usize = 0;
let firstPage: u32 = 0;
/** Index of the page at which the search for free pages begins. No page with a lower index is free. */
let lowest: u32 = 0;
let used: u32 = 0;

function prepare(): void {
  table = (__heap_base + PAGE - 1) & ~(PAGE - 1);
  const at = <u32>(table >> PAGE_SHIFT);
  if (at >= <u32>memory.size()) memory.grow(at + 1 - memory.size());
  firstPage = at + 1;
  lowest = firstPage;
}

/**
 * Returns the number of pages that are needed for a number of bytes. The argument has 64 bits, because a sum or product
 * of lengths may exceed 32 bits and must not wrap to a small number.
 */
export function pagesFor(bytes: u64): u32 {
  return <u32>((bytes + (PAGE - 1)) >> PAGE_SHIFT);
}

/**
 * Grows memory by `count` pages or more. Returns false when memory cannot grow by `count` pages. A growth may
 * cause a garbage collection in the JavaScript engine. To make growths rare, memory grows by at least an eighth
 * of its size. When the engine refuses this, because its limit is near, half of the eighth is tried, then a
 * quarter of it, and so on.
 */
function grow(count: u32): bool {
  for (let step = <u32>memory.size() >> 3; step > count; step >>= 1) if (memory.grow(<i32>step) >= 0) return true;
  return memory.grow(<i32>count) >= 0;
}

/**
 * Allocates `count` consecutive pages and returns their address; 0 when memory cannot grow any more. The content is not
 * cleared.
 */
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

/**
 * Marks `count` pages from page `first` on as used or free. Usually there are only one or two pages. For a small
 * number of pages the function uses a loop, because the call of a bulk memory operation would take more time.
 */
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

/**
 * Grows a block of consecutive pages to `to` pages and keeps its content: in place when the following pages are free,
 * else by copying the content to another block. Returns the address, or 0 when there is no more memory.
 */
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

/**
 * Grows a buffer whose first memory is a small static area. `from` is the buffer's present number of pages, and
 * `to` the new number. When `from` is 0, the buffer is still in the static area; its `used` bytes are then
 * copied to new pages.
 */
export function growFrom(address: usize, used: u32, from: u32, to: u32): usize {
  if (from) return growPages(address, from, to);
  const taken = takePages(to);
  if (taken) memory.copy(taken, address, used);
  return taken;
}

/** Returns the number of memory pages (of 64 KB) in use. */
export function pagesInUse(): u32 {
  return used;
}

/**
 * Size in bytes of the area to which JavaScript writes a short string in order to pass it to a function of the
 * WebAssembly module.
 */
export const SCRATCH_SIZE: u32 = 4096;
const scratch = memory.data(4096 + 16, 16);

export function scratchAddress(): usize {
  return scratch;
}
