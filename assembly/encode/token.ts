// Writes measurements, keys and tag values of line protocol, 16 bytes at a time.

import { flush, limit, out, setOut } from "./output";

const BACKSLASH: u32 = 0x5c;

/**
 * Writes a key or a tag value of line protocol: puts a backslash before each comma, each space, and each byte that
 * equals `fourth` or `fifth`. A caller that needs no further bytes escaped passes a comma for both.
 */
export function putToken(p: usize, length: u32, fourth: u32, fifth: u32): void {
  const end = p + length;
  let o = out;
  while (p < end) {
    if (o > limit) {
      setOut(o);
      flush();
      o = out;
    }
    const v = v128.load(p);
    v128.store(o, v);
    const found = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(v, i8x16.splat(0x2c)), i8x16.eq(v, i8x16.splat(0x20))),
        v128.or(i8x16.eq(v, i8x16.splat(<i8>fourth)), i8x16.eq(v, i8x16.splat(<i8>fifth))),
      ),
    );
    const clean = min<usize>(found ? <usize>ctz(found) : 16, end - p);
    p += clean;
    o += clean;
    if (!found || p >= end) continue;
    store<u16>(o, BACKSLASH | (<u32>load<u8>(p++) << 8));
    o += 2;
  }
  setOut(o);
}

/** Writes a measurement: puts a backslash before each comma and space that is not escaped yet. */
export function putMeasurement(p: usize, length: u32): void {
  const end = p + length;
  let from = p;
  for (let at = p; at < end; at++) {
    const c = load<u8>(at);
    if ((c == 0x2c || c == 0x20) && at > from && load<u8>(at - 1) == BACKSLASH) {
      putToken(from, <u32>(at - 1 - from), 0x2c, 0x2c);
      store<u16>(out, BACKSLASH | (<u32>c << 8));
      setOut(out + 2);
      from = at + 1;
    }
  }
  putToken(from, <u32>(end - from), 0x2c, 0x2c);
}
