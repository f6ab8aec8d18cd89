// The distinct texts of a column, as bytes one behind the other; a cell is the number of its text.

import { withRoom } from "./growing.ts";
import { HashSlots, hashAscii, hashBytes } from "./hash-slots.ts";

/** A dictionary as it is stored and posted to other threads. */
export interface DictionaryData {
  /** UTF-8 of all texts. */
  readonly heap: Uint8Array;
  /** Index in `heap` where each text ends; it begins where the text before ends. */
  readonly ends: Uint32Array;
  /** The hash table of the texts: see HashSlots. */
  readonly slots: Uint32Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Texts shorter than this are built from their characters, which costs less than a decoder. */
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

  /** Returns the number of a text, -1 when no cell holds it. */
  codeOf(text: string): number {
    const { heap, ends } = this.data;
    const hash = hashAscii(text);
    if (hash !== undefined) return this.codeOfAscii(text, hash);
    const bytes = encoder.encode(text);
    return this.slots.find(hashBytes(bytes, 0, bytes.length), (id) => isAt(heap, ends, id, bytes, 0, bytes.length));
  }

  /** Does the probing of `HashSlots.find`; written out here so that it makes no calls. */
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

  /** Adds the text in `bytes` and returns its number. */
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

  /** Returns views of the builder's own arrays. */
  finish(): DictionaryData {
    return {
      heap: this.heap.subarray(0, this.length),
      ends: this.ends.subarray(0, this.count),
      slots: this.slots.slots,
    };
  }
}

/** A reused array for each length, because a view of the bytes costs more. */
const characters = Array.from({ length: shortText }, (_, length) => new Array<number>(length).fill(0));

/** Buffer for copies of shared memory, which decoders refuse; a reused buffer costs less than new memory. */
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
