import { describe, expect, it } from "vitest";
import { Xxh64 } from "../../../../server/http/body/xxh64.ts";

/** Returns the same bytes with which the checksums below were made. */
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, index) => (index * index + 7 * index) % 251);

describe("Xxh64", () => {
  // Each checksum is the one that `zstd --check` wrote for bytes of this length.
  it.each([
    [0, 0x51d8e999],
    [1, 0xdb052768],
    [3, 0x08a981a8],
    [4, 0x8de10b9c],
    [5, 0x8ef7863f],
    [7, 0x86d68234],
    [8, 0xd17d4862],
    [9, 0x6a10e104],
    [12, 0x47d22a2a],
    [15, 0x639ba38b],
    [16, 0x760072d0],
    [31, 0x7e8f54d5],
    [32, 0x8427ab85],
    [33, 0xf6f836d3],
    [36, 0x4124b337],
    [44, 0xbc69184e],
    [63, 0x52c8c7f4],
    [64, 0x0f580486],
    [65, 0xb0404868],
    [100, 0x96eea83a],
    [1000, 0xbc234754],
    [100_000, 0x3c0b1afd],
  ])("hashes %i bytes as the zstd command does", (length, checksum) => {
    expect(new Xxh64(bytesOf(length), 0).digest(length)).toBe(checksum);
  });

  it("hashes bytes from any offset, and while they are written", () => {
    const plain = bytesOf(1000);
    for (let start = 0; start < 9; start++) {
      const memory = new Uint8Array(1100);
      const hash = new Xxh64(memory, start);
      for (let at = 0; at < plain.length; at += 37) {
        memory.set(plain.subarray(at, at + 37), start + at);
        hash.readUntil(Math.min(start + at + 37, start + plain.length));
      }
      expect(hash.digest(start + plain.length)).toBe(0xbc234754);
    }
  });

  it("hashes bytes with all bits and with the highest bit alone", () => {
    const sums = [255, 128].map((byte) => new Xxh64(new Uint8Array(64).fill(byte), 0).digest(64));
    expect(sums).toEqual([0x959dbb84, 0x96570746]);
  });
});
