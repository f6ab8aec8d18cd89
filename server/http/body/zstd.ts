// Zstandard under a size cap (RFC 8878). The frames are walked first: the decoder reserves a frame's whole window
// before it reads a block, so the window is checked before the decoder sees it.

import { Decompress } from "fzstd";

/** The output, or a window, is larger than the cap. */
export class ZstdTooLarge extends Error {}

const frameMagic = 0xfd2fb528;
/** 0x184D2A50 to 0x184D2A5F: frames to be skipped. */
const skippableMagic = 0x184d2a5;

/**
 * Throws ZstdTooLarge beyond `cap` bytes, any other error when the data is corrupt. `account` is told of the bytes of each
 * piece of output; what it throws ends the work.
 */
export function decompressZstd(data: Uint8Array, cap: number, account?: (bytes: number) => void): Uint8Array {
  checkFrames(data, cap);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = new Decompress((chunk) => {
    size += chunk.length;
    if (size > cap) throw new ZstdTooLarge();
    account?.(chunk.length);
    chunks.push(chunk);
  });
  stream.push(data, true);
  const output = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    output.set(chunk, at);
    at += chunk.length;
  }
  return output;
}

/** Walks all frames and their block headers to the last byte. */
function checkFrames(data: Uint8Array, cap: number): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = 0;
  while (at < data.length) {
    const magic = view.getUint32(at, true);
    if (magic >>> 4 === skippableMagic) {
      at += 8 + view.getUint32(at + 4, true);
      if (at > data.length) throw new Error("skippable frame is cut off");
      continue;
    }
    if (magic !== frameMagic) throw new Error("no zstd frame");
    const descriptor = view.getUint8(at + 4);
    const single = (descriptor & 0x20) !== 0;
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3];
    const sizeBytes = [single ? 1 : 0, 2, 4, 8][descriptor >> 6];
    at += 5;
    const window = single ? contentSize(view, at + dictionaryBytes, sizeBytes) : windowSize(view.getUint8(at++));
    if (window > Math.max(cap, 8 * 1024 * 1024)) throw new ZstdTooLarge();
    at += dictionaryBytes + sizeBytes;
    for (let last = false; !last; ) {
      const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
      last = (header & 1) === 1;
      const isRun = ((header >> 1) & 3) === 1;
      at += 3 + (isRun ? 1 : header >> 3);
    }
    if ((descriptor & 4) !== 0) at += 4;
    if (at > data.length) throw new Error("zstd frame is cut off");
  }
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
