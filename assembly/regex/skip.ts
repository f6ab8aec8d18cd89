// Skips bytes that do not change the state of an automaton, 16 bytes at a time. To decide whether a byte is in
// the set of such bytes, the code makes two table lookups, one by the low half of the byte and one by its high
// half (Langdale and Lemire, simdjson).

/** Returns a vector with zero for each byte of `v` that is not in the set of bytes to skip. */
// @ts-ignore: decorator
@inline
function among(v: v128, set: v128): v128 {
  const low = i8x16.swizzle(set, v128.and(v, i8x16.splat(0x0f)));
  const high = i8x16.swizzle(i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0), i8x16.shr_u(v, 4));
  return v128.and(low, high);
}

/**
 * Skips ASCII bytes from `at` on that do not change the automaton state with the table row `row`. Returns the
 * address of the first byte that cannot be skipped, or `end` when all bytes are skipped. Reads up to 15 bytes
 * after `end`.
 */
// @ts-ignore: decorator
@inline
export function skipForward(row: usize, at: usize, end: usize): usize {
  const set = v128.load(row);
  while (at < end) {
    const inside = among(v128.load(at), set);
    if (!i8x16.all_true(inside)) {
      at += ctz(i8x16.bitmask(i8x16.eq(inside, i8x16.splat(0))));
      break;
    }
    at += 16;
  }
  return at < end ? at : end;
}

/**
 * Skips ASCII bytes backward from `at` that do not change the automaton state with the table row `row`. Stops at
 * the nearest byte before `at` that cannot be skipped, and returns the address after it, or `from` when all
 * bytes are skipped. Reads up to 15 bytes before `from`.
 */
// @ts-ignore: decorator
@inline
export function skipBackward(row: usize, at: usize, from: usize): usize {
  const set = v128.load(row);
  while (at > from) {
    const inside = among(v128.load(at - 16), set);
    if (!i8x16.all_true(inside)) {
      at -= clz(i8x16.bitmask(i8x16.eq(inside, i8x16.splat(0)))) - 16;
      break;
    }
    at -= 16;
  }
  return at > from ? at : from;
}
