// An input in the form that the engine reads, which is bytes. It also converts between byte offsets and the
// caller's offsets, which are UTF-16 indexes for a string and byte offsets for bytes. A lone surrogate becomes
// U+FFFD, as in every UTF-8 encoder.

export interface EncodedText {
  readonly bytes: Uint8Array;
  /** Converts a byte offset to the caller's offset. The byte offset must lie between two characters. */
  outside(byte: number): number;
  /**
   * Converts a caller's offset to a byte offset. An offset inside a surrogate pair counts as the offset after the pair.
   */
  inside(offset: number): number;
}

const encoder = new TextEncoder();

export function encodeText(input: string | Uint8Array): EncodedText {
  if (typeof input !== "string") return new SameOffsets(input);
  return textFrom(encode(input), input.length);
}

/**
 * Largest length, in UTF-16 units, of a string that this file encodes by itself. A longer string is passed to a
 * TextEncoder; compared with the encoding, the cost of the call is then small.
 */
const shortUnits = 48;
let block = new Uint8Array(4096);
/** Number of bytes of `block` (the shared buffer for short encoded strings) that are in use. */
let used = 0;

function encode(input: string): Uint8Array {
  const { length } = input;
  if (length > shortUnits) return encoder.encode(input);
  if (used + length > block.length) {
    block = new Uint8Array(block.length);
    used = 0;
  }
  for (let at = 0; at < length; at++) {
    const unit = input.charCodeAt(at);
    if (unit > 0x7f) return encoder.encode(input);
    block[used + at] = unit;
  }
  used += length;
  return block.subarray(used - length, used);
}

/** Makes an encoded text from the UTF-8 bytes of a string that has `units` UTF-16 units. */
export function textFrom(bytes: Uint8Array, units: number): EncodedText {
  return bytes.length === units ? new SameOffsets(bytes) : new MappedOffsets(bytes);
}

/** An input of bytes, or a string that is all ASCII, for which byte offsets and the caller's offsets are equal. */
class SameOffsets implements EncodedText {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  outside(byte: number): number {
    return byte;
  }

  inside(offset: number): number {
    return offset;
  }
}

/**
 * Distance in bytes between the byte offsets for which the UTF-16 index is stored. To convert any other byte
 * offset, the bytes between it and the stored offset before it are counted, which are at most this many.
 */
const STEP = 64;

class MappedOffsets implements EncodedText {
  readonly bytes: Uint8Array;
  /** For every STEP-th byte, the UTF-16 index of the character that contains the byte. */
  private marks: Uint32Array | null = null;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  outside(byte: number): number {
    const marks = this.marked();
    const mark = Math.floor(byte / STEP);
    let units = marks[mark] as number;
    for (let i = mark * STEP; i < byte; i++) units += unitsAt(this.bytes[i] as number);
    return units;
  }

  inside(offset: number): number {
    const marks = this.marked();
    let low = 0;
    let high = marks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((marks[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    let units = marks[low] as number;
    let byte = low * STEP;
    while (byte < this.bytes.length && (units < offset || isContinuation(this.bytes[byte] as number)))
      units += unitsAt(this.bytes[byte++] as number);
    return byte;
  }

  private marked(): Uint32Array {
    if (this.marks !== null) return this.marks;
    const marks = new Uint32Array(Math.floor(this.bytes.length / STEP) + 1);
    let units = 0;
    this.bytes.forEach((byte, i) => {
      if (i % STEP === 0) marks[i / STEP] = units;
      units += unitsAt(byte);
    });
    if (this.bytes.length % STEP === 0) marks[this.bytes.length / STEP] = units;
    this.marks = marks;
    return marks;
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/**
 * Returns the number of UTF-16 units of the character that begins with the given byte; 0 for a byte that continues a
 * character.
 */
function unitsAt(byte: number): number {
  return isContinuation(byte) ? 0 : byte < 0xf0 ? 1 : 2;
}
