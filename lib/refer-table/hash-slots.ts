// A hash table with open addressing, which finds ids (the numbers 0, 1, 2, and so on) by their hashes. Each slot
// is one number. Its low bits are the id + 1, or 0 when the slot is free. Its high bits are those bits of the
// hash that do not select the slot at which a search begins; when they differ from the bits of the wanted hash,
// the search skips the slot without reading the value of the id. The owner of the table stores the values and
// computes their hashes. Collisions are resolved by linear probing, and the table is at most four fifths full.

import { freeArray, zeros } from "./growing.ts";

const smallest = 16;

export class HashSlots {
  slots: Uint32Array;
  /** Mask that selects from a hash the slot (place in the table) at which a search begins. */
  mask: number;
  private count: number;

  constructor(slots: Uint32Array = new Uint32Array(smallest), count = 0) {
    this.slots = slots;
    this.mask = slots.length - 1;
    this.count = count;
  }

  /**
   * Returns the id with the given hash for which `isIt` returns true; -1 when there is none. `isIt` compares the value
   * that the owner stores for an id with the value that is looked up.
   */
  find(hash: number, isIt: (id: number) => boolean): number {
    const { slots, mask } = this;
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const slot = slots[at]!;
      if (slot === 0) return -1;
      if (((slot ^ hash) & ~mask) === 0 && isIt((slot & mask) - 1)) return (slot & mask) - 1;
    }
  }

  /**
   * Adds the next id (0, 1, 2, and so on). The value that the owner stores for this id must not be in the table yet.
   */
  add(hash: number, hashOf: (id: number) => number): void {
    if ((this.count + 1) * 5 > this.slots.length * 4) this.grow(hashOf);
    this.put(hash, this.count++);
  }

  private put(hash: number, id: number): void {
    let at = hash & this.mask;
    while (this.slots[at] !== 0) at = (at + 1) & this.mask;
    this.slots[at] = (id + 1) | (hash & ~this.mask);
  }

  private grow(hashOf: (id: number) => number): void {
    const { length } = this.slots;
    freeArray(this.slots);
    this.slots = zeros(length * 2);
    this.mask = this.slots.length - 1;
    for (let id = 0; id < this.count; id++) this.put(hashOf(id), id);
  }
}

/** Returns the FNV-1a hash of bytes, with its bits mixed once more so that the low bits depend on all bits. */
export function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return mix(hash);
}

/** Returns the hash of an ASCII string, equal to `hashBytes` of its bytes; undefined for any other string. */
export function hashAscii(text: string): number | undefined {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x80) return undefined;
    hash = Math.imul(hash ^ code, 0x01000193);
  }
  return mix(hash);
}

const double = new Float64Array(1);
const long = new BigInt64Array(double.buffer);
const words = new Uint32Array(double.buffer);

/** Returns the hash of a double; 0 and -0 have the same hash. */
export function hashDouble(value: number): number {
  double[0] = value + 0;
  return hashWords();
}

export function hashLong(value: bigint): number {
  long[0] = value;
  return hashWords();
}

function hashWords(): number {
  return mix(Math.imul(words[0]!, 0x9e3779b1) ^ words[1]!);
}

/** Mixes the bits of a hash with the finalizer of MurmurHash3. */
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
