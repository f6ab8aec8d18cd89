// SIMD vectors that contain the same byte 16 times, stored in memory. Loading such a vector takes one
// instruction, whereas today's compilers use three instructions to make a constant vector wherever it is used.

const lanes = memory.data(256 * 16, 16);

for (let c: u32 = 0; c < 256; c++) v128.store(lanes + (<usize>c << 4), i8x16.splat(<i8>c));

/** Returns a vector with 16 copies of the byte `c`, which must be a constant. */
// @ts-ignore: decorator
@inline
export function lanesOf(c: u32): v128 {
  return v128.load(lanes + (<usize>c << 4));
}
