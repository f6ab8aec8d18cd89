// Huffman codes of a bounded length: lengths in place (Moffat and Katajainen, "In-Place Calculation of Minimum-Redundancy Codes"), those that
// are too long cut, canonical codes with their bits reversed (RFC 1951, 3.2.2).

const MOST: u32 = 286;
/** Count and symbol in one word, to be sorted; then the counts alone; then lengths. */
const work = memory.data(286 * 4, 16);
const order = memory.data(286 * 4, 16);
const lengthCounts = memory.data(33 * 4, 16);
const nextCodes = memory.data(17 * 4, 16);

/** Words of a table of codes: its code in the upper half, its length in the lower. */
// @ts-ignore: decorator
@inline
export function codeOf(table: usize, symbol: u32): u32 {
  return load<u32>(table + (symbol << 2)) >> 16;
}

// @ts-ignore: decorator
@inline
export function lengthOf(table: usize, symbol: u32): u32 {
  return load<u32>(table + (symbol << 2)) & 0xffff;
}

/** Codes for `size` symbols by how often each occurs. At least two get one: readers want a whole tree. */
export function makeCodes(counts: usize, size: u32, longest: u32, table: usize): void {
  let used: u32 = 0;
  for (let symbol: u32 = 0; symbol < size; symbol++) used += <u32>(load<u32>(counts + (symbol << 2)) != 0);
  for (let symbol: u32 = 0; used < 2; symbol++) {
    if (load<u32>(counts + (symbol << 2))) continue;
    store<u32>(counts + (symbol << 2), 1);
    used++;
  }
  let at: u32 = 0;
  for (let symbol: u32 = 0; symbol < size; symbol++) {
    const count = load<u32>(counts + (symbol << 2));
    if (count) store<u32>(work + (at++ << 2), (count << 9) | symbol);
    store<u32>(table + (symbol << 2), 0);
  }
  sort(used);
  for (let i: u32 = 0; i < used; i++) {
    const word = load<u32>(work + (i << 2));
    store<u32>(order + (i << 2), word & 511);
    store<u32>(work + (i << 2), word >> 9);
  }
  measure(<i32>used);
  bound(used, longest);
  assign(size, used, longest, table);
}

/** Ascending; shell sort. */
function sort(count: u32): void {
  for (let gap: u32 = count > 40 ? 13 : 4; ; gap = gap > 4 ? 4 : 1) {
    for (let i = gap; i < count; i++) {
      const word = load<u32>(work + (i << 2));
      let j = i;
      for (; j >= gap && load<u32>(work + ((j - gap) << 2)) > word; j -= gap) {
        store<u32>(work + (j << 2), load<u32>(work + ((j - gap) << 2)));
      }
      store<u32>(work + (j << 2), word);
    }
    if (gap == 1) return;
  }
}

// @ts-ignore: decorator
@inline
function get(i: i32): i32 {
  return load<i32>(work + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
function set(i: i32, value: i32): void {
  store<i32>(work + (<usize>i << 2), value);
}

/** Counts in ascending order become lengths of codes. */
function measure(count: i32): void {
  set(0, get(0) + get(1));
  let root = 0;
  let leaf = 2;
  for (let next = 1; next < count - 1; next++) {
    if (leaf >= count || get(root) < get(leaf)) {
      set(next, get(root));
      set(root++, next);
    } else set(next, get(leaf++));
    if (leaf >= count || (root < next && get(root) < get(leaf))) {
      set(next, get(next) + get(root));
      set(root++, next);
    } else set(next, get(next) + get(leaf++));
  }
  set(count - 2, 0);
  for (let next = count - 3; next >= 0; next--) set(next, get(get(next)) + 1);
  let available = 1;
  let used = 0;
  let depth = 0;
  root = count - 2;
  let next = count - 1;
  while (available > 0) {
    while (root >= 0 && get(root) == depth) {
      used++;
      root--;
    }
    while (available > used) {
      set(next--, depth);
      available--;
    }
    available = 2 * used;
    depth++;
    used = 0;
  }
}

/** How many codes there are of each length, none longer than `longest`, such that they are a whole tree. */
function bound(count: u32, longest: u32): void {
  memory.fill(lengthCounts, 0, 33 * 4);
  for (let i: u32 = 0; i < count; i++) {
    const length = min(<u32>get(<i32>i), longest);
    store<u32>(lengthCounts + (length << 2), load<u32>(lengthCounts + (length << 2)) + 1);
  }
  let total: u32 = 0;
  for (let i: u32 = 1; i <= longest; i++) total += load<u32>(lengthCounts + (i << 2)) << (longest - i);
  for (const whole = 1 << longest; total > <u32>whole; total--) {
    add(longest, -1);
    let i = longest - 1;
    while (!load<u32>(lengthCounts + (i << 2))) i--;
    add(i, -1);
    add(i + 1, 2);
  }
}

function add(length: u32, more: i32): void {
  store<i32>(lengthCounts + (length << 2), load<i32>(lengthCounts + (length << 2)) + more);
}

function assign(size: u32, used: u32, longest: u32, table: usize): void {
  let at = used;
  let code: u32 = 0;
  for (let length: u32 = 1; length <= longest; length++) {
    const count = load<u32>(lengthCounts + (length << 2));
    store<u32>(nextCodes + (length << 2), code);
    code = (code + count) << 1;
    // Those that occur most come last.
    for (let i: u32 = 0; i < count; i++) store<u32>(table + (load<u32>(order + (--at << 2)) << 2), length);
  }
  for (let symbol: u32 = 0; symbol < size; symbol++) {
    const length = load<u32>(table + (symbol << 2));
    if (!length) continue;
    const own = load<u32>(nextCodes + (length << 2));
    store<u32>(nextCodes + (length << 2), own + 1);
    store<u32>(table + (symbol << 2), (reversed(own, length) << 16) | length);
  }
}

function reversed(code: u32, length: u32): u32 {
  let result: u32 = 0;
  for (let i: u32 = 0; i < length; i++) {
    result = (result << 1) | (code & 1);
    code >>= 1;
  }
  return result;
}
