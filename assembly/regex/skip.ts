// Skips bytes that lead an automaton state back to itself, 16 at a time. For each byte, two table lookups, one by its
// low half and one by its high half, decide whether the byte is in the set of such bytes (Langdale and Lemire,
// simdjson).

/** Returns a vector with zero for each byte of `v` that is not in the set of bytes to skip. */
// @ts-ignore: decorator
@inline
function among(v: v128, set: v128): v128 {
  const low = i8x16.swizzle(set, v128.and(v, i8x16.splat(0x0f)));
  const high = i8x16.swizzle(i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0), i8x16.shr_u(v, 4));
  return v128.and(low, high);
}

/**
 * Skips ASCII bytes from `at` on that lead the state with the table row `row` back to itself. Returns the address of
 * the first byte that cannot be skipped; `end` when all bytes are skipped. Reads up to 15 bytes after `end`.
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
 * Skips, backward from `at`, ASCII bytes that lead the state with the table row `row` back to itself. Returns the
 * address after the first byte that cannot be skipped; `from` when all bytes are skipped. Reads up to 15 bytes before
 * `from`.
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
