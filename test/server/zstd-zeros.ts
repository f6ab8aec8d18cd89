// A zstd bomb: Node 20 cannot compress zstd, and four bytes stand for 128 KiB in it.

/** One zstd frame of zeros in run-length blocks. */
export function zstdZeros(size: number): Buffer {
  const block = 128 * 1024;
  const parts = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38])];
  for (let at = 0; at < size; at += block) {
    const header = (block << 3) | 2 | (at + block >= size ? 1 : 0);
    parts.push(Buffer.from([header & 255, (header >> 8) & 255, header >> 16, 0]));
  }
  return Buffer.concat(parts);
}
