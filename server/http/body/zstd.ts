// Decompresses Zstandard data (RFC 8878) up to a size limit. Reads the headers of all frames first, because they
// show the largest possible size of the output.

import xxhash from "xxhash-wasm";
import { blockType, mostOfBlock, ZstdBlocks } from "./zstd-blocks.ts";

const { create64 } = await xxhash();

/** Thrown when the decompressed data is larger than the allowed size. */
export class ZstdTooLarge extends Error {}

const frameMagic = 0xfd2fb528;
/** The upper 28 bits of the magic numbers 0x184D2A50 to 0x184D2A5F, which mark skippable frames. */
const skippableMagic = 0x184d2a5;

/**
 * Returns the largest possible decompressed length in bytes, at most `cap`. Throws ZstdTooLarge when the
 * decompressed data is certainly longer than `cap`, and another error when frames are damaged.
 */
export function zstdLength(data: Uint8Array, cap: number): number {
  return checkFrames(data, cap).most;
}

/**
 * Returns the decompressed data. Throws ZstdTooLarge when the data is longer than `cap` bytes, and another error
 * when the input is corrupt.
 */
export function decompressZstd(data: Uint8Array, cap: number): Uint8Array {
  const decoding = decodeBlocks(data, cap);
  for (;;) {
    const { done, value } = decoding.next();
    if (done === true) return value;
  }
}

/**
 * Decompresses like `decompressZstd`, but pauses after about every `turnBytes` bytes of output and awaits
 * `turn`, so that other work can run. When `turn` rejects, the decompression ends.
 */
export async function decompressZstdInTurns(
  data: Uint8Array,
  { cap, turnBytes, turn }: { readonly cap: number; readonly turnBytes: number; turn(): Promise<void> },
): Promise<Uint8Array> {
  const decoding = decodeBlocks(data, cap);
  for (let made = 0; ; ) {
    const { done, value } = decoding.next();
    if (done === true) return value;
    made += value;
    if (made < turnBytes) continue;
    await turn();
    made = 0;
  }
}

/** The time for reading the tables of one block, expressed as the number of output bytes that take the same time. */
const tableBytes = 4096;

/**
 * Decodes all blocks into memory for the complete output and returns the output. After each block, yields the
 * time that the block took, expressed as the number of output bytes that take the same time to decode.
 */
function* decodeBlocks(data: Uint8Array, cap: number): Generator<number, Uint8Array> {
  const { most, isExact } = checkFrames(data, cap);
  const view = viewOf(data);
  const output = new Uint8Array(most);
  const blocks = new ZstdBlocks(output, () =>
    isExact ? new Error("the frames tell fewer bytes") : new ZstdTooLarge(),
  );
  for (let at = 0; at < data.length; ) {
    const frame = frameAt(view, at);
    at = frame.next;
    if (frame.window === null) continue;
    blocks.beginFrame();
    const hash = frame.checksumBytes > 0 ? create64() : undefined;
    for (let isLast = false; !isLast; ) {
      const block = blockAt(view, at);
      const before = blocks.at;
      blocks.decode(data, block.type, at + 3, block.size);
      hash?.update(output.subarray(before, blocks.at));
      yield blocks.at - before + tableBytes;
      ({ isLast, next: at } = block);
    }
    if (hash !== undefined && BigInt.asUintN(32, hash.digest()) !== BigInt(view.getUint32(at, true)))
      throw new Error("the checksum of a zstd frame is wrong");
    at += frame.checksumBytes;
  }
  if (isExact && blocks.at < most) throw new Error("the frames tell more bytes");
  return output.subarray(0, blocks.at);
}

interface Extent {
  /** Largest possible decompressed length in bytes, never more than the caller's limit. */
  readonly most: number;
  /** Whether all frames declare their decompressed length. If they do, the output has exactly `most` bytes. */
  readonly isExact: boolean;
}

/**
 * Reads the headers of all frames and blocks, without decoding them. Returns the largest possible length of the output.
 * Throws when frames are damaged, and throws ZstdTooLarge when the output is certainly longer than the limit.
 */
function checkFrames(data: Uint8Array, cap: number): Extent {
  const view = viewOf(data);
  let at = 0;
  let least = 0;
  let most = 0;
  let isExact = true;
  while (at < data.length) {
    const { window, declared, checksumBytes, next } = frameAt(view, at);
    at = next;
    if (at > data.length) throw new Error("a frame is cut off");
    if (window === null) continue;
    let leastOfBlocks = 0;
    let mostOfBlocks = 0;
    for (let isLast = false; !isLast; ) {
      const { type, size, ...block } = blockAt(view, at);
      leastOfBlocks += type === blockType.compressed ? 0 : size;
      mostOfBlocks += type === blockType.compressed ? Math.min(mostOfBlock, window) : size;
      ({ isLast, next: at } = block);
    }
    at += checksumBytes;
    if (at > data.length) throw new Error("a frame is cut off");
    if (declared !== undefined && (declared < leastOfBlocks || declared > mostOfBlocks))
      throw new Error("wrong size of a zstd frame");
    least += declared ?? leastOfBlocks;
    most += declared ?? mostOfBlocks;
    isExact &&= declared !== undefined;
    if (least > cap) throw new ZstdTooLarge();
  }
  return { most: Math.min(most, cap), isExact };
}

interface Frame {
  /**
   * The size in bytes of the frame's window (the earlier output that copies may refer to); null for a skippable
   * frame.
   */
  readonly window: number | null;
  /** Decompressed length in bytes that the frame declares; absent when it declares none. */
  readonly declared?: number;
  readonly checksumBytes: number;
  /** Offset of the frame's first block; for a skippable frame, the offset of the next frame. */
  readonly next: number;
}

function frameAt(view: DataView, at: number): Frame {
  const magic = view.getUint32(at, true);
  if (magic >>> 4 === skippableMagic)
    return { window: null, checksumBytes: 0, next: at + 8 + view.getUint32(at + 4, true) };
  if (magic !== frameMagic) throw new Error("no zstd frame");
  const descriptor = view.getUint8(at + 4);
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const sizeAt = at + (isSingle ? 5 : 6) + [0, 1, 2, 4][descriptor & 3]!;
  const declared = sizeBytes === 0 ? undefined : contentSize(view, sizeAt, sizeBytes);
  const window = isSingle ? declared! : windowSize(view.getUint8(at + 5));
  return { window, declared, checksumBytes: (descriptor & 4) !== 0 ? 4 : 0, next: sizeAt + sizeBytes };
}

function blockAt(view: DataView, at: number) {
  const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  const type = (header >> 1) & 3;
  const size = header >> 3;
  return { type, size, isLast: (header & 1) === 1, next: at + 3 + (type === blockType.run ? 1 : size) };
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function contentSize(view: DataView, at: number, bytes: number): number {
  switch (bytes) {
    case 1:
      return view.getUint8(at);
    case 2:
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}
