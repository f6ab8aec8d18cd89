// Vectors that hold one byte 16 times, kept in memory. Today's compilers rebuild a constant vector wherever it is used,
// with three instructions; a load is one.

const lanes = memory.data(256 * 16, 16);

for (let c: u32 = 0; c < 256; c++) v128.store(lanes + (<usize>c << 4), i8x16.splat(<i8>c));

/** Returns a vector of 16 times the byte `c`, a constant. */
// @ts-ignore: decorator
@inline
export function lanesOf(c: u32): v128 {
  return v128.load(lanes + (<usize>c << 4));
}
