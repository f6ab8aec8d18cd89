// Zstandard under a size cap (RFC 8878). The frames are walked first: the decoder reserves a frame's whole window
// before it reads a block, so the window is checked before the decoder sees it.

import { Decompress } from "fzstd";

/** The output, or a window, is larger than the cap. */
export class ZstdTooLarge extends Error {}

const frameMagic = 0xfd2fb528;
/** 0x184D2A50 to 0x184D2A5F: frames to be skipped. */
const skippableMagic = 0x184d2a5;

/** Windows that every decoder has to take (RFC 8878, section 3.1.1.1.2): they are small beside the bodies. */
const usualWindow = 8 * 1024 * 1024;
/** The most bytes that a block may become. */
const mostOfBlock = 128 * 1024;

/** The bytes to be reserved for a body. Throws ZstdTooLarge beyond `cap` bytes, any other error when frames are damaged. */
export function zstdReservation(data: Uint8Array, cap: number): number {
  const { most, window } = checkFrames(data, cap);
  return most + (window > usualWindow ? window : 0);
}

/** The most bytes that a body of at most `cap` bytes becomes. Throws as `zstdReservation` does. */
export function zstdLength(data: Uint8Array, cap: number): number {
  return checkFrames(data, cap).most;
}

/** Throws ZstdTooLarge beyond `cap` bytes, any other error when the data is corrupt. */
export function decompressZstd(data: Uint8Array, cap: number): Uint8Array {
  const output = createOutput(data, cap);
  output.push(data);
  return output.end();
}

/** The same with other work between pieces of about `turnBytes` of output; `turn` may reject to end it. */
export async function decompressZstdInTurns(
  data: Uint8Array,
  { cap, turnBytes, turn }: { readonly cap: number; readonly turnBytes: number; turn(): Promise<void> },
): Promise<Uint8Array> {
  const output = createOutput(data, cap);
  const bytes = Math.ceil((data.length * turnBytes) / Math.max(output.most, turnBytes));
  for (let at = 0; at < data.length; at += bytes) {
    if (at > 0) await turn();
    output.push(data.subarray(at, at + bytes));
  }
  return output.end();
}

/** The memory for all of the output, which is as long as the frames allow. */
function createOutput(data: Uint8Array, cap: number) {
  const { most, isExact } = checkFrames(data, cap);
  const output = new Uint8Array(most);
  let size = 0;
  const stream = new Decompress((chunk) => {
    if (size + chunk.length > most) throw isExact ? new Error("the frames tell fewer bytes") : new ZstdTooLarge();
    output.set(chunk, size);
    size += chunk.length;
  });
  return {
    most,
    push: (piece: Uint8Array) => void stream.push(piece),
    end: (): Uint8Array => {
      stream.push(new Uint8Array(0), true);
      if (isExact && size < most) throw new Error("the frames tell more bytes");
      return output.subarray(0, size);
    },
  };
}

interface Extent {
  /** The most bytes of all output, and no more than the cap. */
  readonly most: number;
  /** Whether the frames tell how many bytes they become: `most`. */
  readonly isExact: boolean;
  /** The bytes of the largest window. */
  readonly window: number;
}

/** Walks all frames and their block headers to the last byte. */
function checkFrames(data: Uint8Array, cap: number): Extent {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let at = 0;
  let least = 0;
  let most = 0;
  let isExact = true;
  let largestWindow = 0;
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
    const windowByte = single ? 0 : view.getUint8(at++);
    const told = sizeBytes === 0 ? undefined : contentSize(view, at + dictionaryBytes, sizeBytes);
    const window = single ? told! : windowSize(windowByte);
    if (window > Math.max(cap, usualWindow)) throw new ZstdTooLarge();
    largestWindow = Math.max(largestWindow, window);
    at += dictionaryBytes + sizeBytes;
    let leastOfBlocks = 0;
    let mostOfBlocks = 0;
    for (let last = false; !last; ) {
      const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
      last = (header & 1) === 1;
      const type = (header >> 1) & 3;
      const size = header >> 3;
      leastOfBlocks += type === compressedBlock ? 0 : size;
      mostOfBlocks += type === compressedBlock ? Math.min(mostOfBlock, window) : size;
      at += 3 + (type === runBlock ? 1 : size);
    }
    if ((descriptor & 4) !== 0) at += 4;
    if (at > data.length) throw new Error("zstd frame is cut off");
    if (told !== undefined && (told < leastOfBlocks || told > mostOfBlocks))
      throw new Error("wrong size of a zstd frame");
    least += told ?? leastOfBlocks;
    most += told ?? mostOfBlocks;
    isExact &&= told !== undefined;
    if (least > cap) throw new ZstdTooLarge();
  }
  return { most: Math.min(most, cap), isExact, window: largestWindow };
}

const runBlock = 1;
const compressedBlock = 2;

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
