// The distinct strings of a column, stored as bytes one after another. A cell holds the number of its string.

import { withRoom } from "./growing.ts";
import { HashSlots, hashAscii, hashBytes } from "./hash-slots.ts";

/** A dictionary (the distinct strings of a column) as it is stored and posted to other threads. */
export interface DictionaryData {
  /** The UTF-8 bytes of all strings of the column, one string after another. */
  readonly heap: Uint8Array;
  /** Index in `heap` where each string ends. A string begins where the previous string ends. */
  readonly ends: Uint32Array;
  /** The hash table that finds the number of a string (HashSlots describes its layout). */
  readonly slots: Uint32Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Strings shorter than this many bytes are built character by character, which is faster than a call of a TextDecoder.
 */
const shortText = 48;

export class Dictionary {
  private readonly data: DictionaryData;
  private readonly slots: HashSlots;

  constructor(data: DictionaryData) {
    this.data = data;
    this.slots = new HashSlots(data.slots, data.ends.length);
  }

  get size(): number {
    return this.data.ends.length;
  }

  /** Returns the number that cells hold in place of the string; -1 when no cell holds the string. */
  codeOf(text: string): number {
    const { heap, ends } = this.data;
    const hash = hashAscii(text);
    if (hash !== undefined) return this.codeOfAscii(text, hash);
    const bytes = encoder.encode(text);
    return this.slots.find(hashBytes(bytes, 0, bytes.length), (id) => isAt(heap, ends, id, bytes, 0, bytes.length));
  }

  /**
   * Searches the hash table as `HashSlots.find` does. The code is repeated here, because calling `find` with a function
   * that compares would be slower.
   */
  private codeOfAscii(text: string, hash: number): number {
    const { heap, ends } = this.data;
    const { slots, mask } = this.slots;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const slot = slots[at]!;
      if (slot === 0) return -1;
      const id = (slot & mask) - 1;
      if (((slot ^ hash) & ~mask) === 0 && isAsciiAt(heap, ends, id, text)) return id;
    }
  }

  text(code: number): string {
    const { heap, ends } = this.data;
    const from = code === 0 ? 0 : ends[code - 1]!;
    const to = ends[code]!;
    return (to - from < shortText ? asciiText(heap, from, to) : undefined) ?? decoded(heap, from, to);
  }
}

export class DictionaryBuilder {
  private heap = new Uint8Array(1024);
  private length = 0;
  private ends = new Uint32Array(64);
  private count = 0;
  private readonly slots = new HashSlots();

  /** Adds the string in `bytes`, unless the dictionary has it already, and returns its number. */
  add(bytes: Uint8Array, from: number, to: number): number {
    const hash = hashBytes(bytes, from, to);
    const known = this.slots.find(hash, (id) => isAt(this.heap, this.ends, id, bytes, from, to));
    if (known >= 0) return known;
    this.slots.add(hash, (id) => hashBytes(this.heap, id === 0 ? 0 : this.ends[id - 1]!, this.ends[id]!));
    this.heap = withRoom(this.heap, this.length + to - from);
    this.heap.set(bytes.subarray(from, to), this.length);
    this.length += to - from;
    this.ends = withRoom(this.ends, this.count + 1);
    this.ends[this.count] = this.length;
    return this.count++;
  }

  /**
   * Returns the finished dictionary. Its arrays are views of the memory in which this builder has collected the
   * strings.
   */
  finish(): DictionaryData {
    return {
      heap: this.heap.subarray(0, this.length),
      ends: this.ends.subarray(0, this.count),
      slots: this.slots.slots,
    };
  }
}

/**
 * For each length of a short string, one reusable array, which receives the character codes of a string with this
 * length. `String.fromCharCode` takes more time for a view of the bytes than for an array.
 */
const characters = Array.from({ length: shortText }, (_, length) => new Array<number>(length).fill(0));

/**
 * Buffer for copies of bytes from shared memory, which a TextDecoder does not accept. Reusing the buffer is faster than
 * allocating a new one.
 */
const copied = new Uint8Array(1024);

function decoded(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > copied.length) return decoder.decode(bytes.slice(from, to));
  for (let at = from; at < to; at++) copied[at - from] = bytes[at]!;
  return decoder.decode(copied.subarray(0, to - from));
}

function asciiText(bytes: Uint8Array, from: number, to: number): string | undefined {
  const its = characters[to - from]!;
  let all = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    all |= byte;
    its[at - from] = byte;
  }
  return all < 0x80 ? String.fromCharCode.apply(null, its) : undefined;
}

function isAsciiAt(heap: Uint8Array, ends: Uint32Array, id: number, text: string): boolean {
  const start = id === 0 ? 0 : ends[id - 1]!;
  if (ends[id]! - start !== text.length) return false;
  for (let at = 0; at < text.length; at++) if (heap[start + at] !== text.charCodeAt(at)) return false;
  return true;
}

function isAt(heap: Uint8Array, ends: Uint32Array, id: number, bytes: Uint8Array, from: number, to: number): boolean {
  const start = id === 0 ? 0 : ends[id - 1]!;
  if (ends[id]! - start !== to - from) return false;
  for (let at = from; at < to; at++) if (heap[start + at - from] !== bytes[at]) return false;
  return true;
}
