// One point of a batch, read and changed on the tape: values are overwritten in place, new entries go to the overflow chain, deleted
// ones stay as dead entries so that the order is kept (architecture, rules of memory 2 and 3).

import {
  deadFlag,
  entry as e,
  elementBytes,
  entryWords,
  escapedFlag,
  head,
  key as k,
  keyWords,
  kinds,
  point as p,
  sourceFlag,
  tagFlag,
  traitsFlag,
} from "../wasm/tape.ts";
import type { Batch } from "./batch.ts";
import { TapeBytes } from "./tape-bytes.ts";
import { OwnedBytes } from "./text.ts";
import {
  type Bytes,
  Float,
  integer,
  isBytes,
  kindOf,
  PointArray,
  type PointValue,
  type Scalar,
  type Text,
  Uint,
} from "./value.ts";
import type { Entry, EntryTraits, Key, PointView, Warning } from "./view.ts";

const kindMask = 0xff;

interface TapeEntry extends Entry {
  readonly traits: EntryTraits | undefined;
}

export class Cursor implements PointView {
  /** Owned by the tape: where the point lies. */
  readonly batch: Batch;
  /** Owned by the tape: which point of the batch it is. */
  index = -1;
  /**
   * The serial number under which the keys of the point's entries are marked with their places; 0 while they are not. Whatever changes
   * keys or places keeps the marks true.
   */
  serial = 0;
  /** Address of the point, as long as there are marks. */
  address = 0;

  constructor(batch: Batch) {
    this.batch = batch;
  }

  moveTo(index: number): void {
    this.index = index;
    this.serial = 0;
  }

  /** The marks may be wrong from here on. */
  forget(): void {
    this.serial = 0;
  }

  get name(): string {
    const { u32 } = this.batch.module;
    const at = this.here();
    return this.batch.decode(u32[at + p.name]!, u32[at + p.nameLength]!);
  }

  set name(name: string) {
    const { address, length } = this.batch.writeText(name);
    const { u32 } = this.batch.module;
    const at = this.here();
    u32[at + p.name] = address;
    u32[at + p.nameLength] = length;
  }

  get time(): bigint {
    return this.batch.module.i64[(this.here() + p.time) >>> 1]!;
  }

  set time(time: bigint) {
    this.batch.module.i64[(this.here() + p.time) >>> 1] = time;
  }

  get warnings(): readonly Warning[] {
    return this.batch.warnings(this.index);
  }

  has(key: Key): boolean {
    return this.find(this.idOf(key)) >= 0;
  }

  isTag(key: Key): boolean {
    const at = this.at(key);
    return at >= 0 && (this.batch.module.u32[at + e.kind]! & tagFlag) !== 0;
  }

  get(key: Key): PointValue | undefined {
    const index = this.find(this.idOf(key));
    return index < 0 ? undefined : this.read(this.batch.entryAt(index), false);
  }

  textInPlace(key: Key): Bytes | undefined {
    const index = this.find(this.idOf(key));
    if (index < 0) return undefined;
    const at = this.batch.entryAt(index);
    if ((this.batch.module.u32[at + e.kind]! & kindMask) !== kinds.string) return undefined;
    return this.slice(at);
  }

  setField(key: Key, value: PointValue): void {
    this.put(this.idOf(key), value, false);
  }

  setTag(key: Key, value: Text): void {
    this.put(this.idOf(key), value, true);
  }

  delete(key: Key): boolean {
    const at = this.at(key);
    if (at < 0) return false;
    this.batch.module.u32[at + e.kind]! |= deadFlag;
    this.unmark(key.id);
    return true;
  }

  rename(from: Key, to: Key): boolean {
    const index = this.find(this.idOf(from));
    if (index < 0) return false;
    const id = this.idOf(to);
    const other = this.find(id);
    if (other === index) return true;
    const { u32 } = this.batch.module;
    if (other >= 0) u32[this.batch.entryAt(other) + e.kind]! |= deadFlag;
    u32[this.batch.entryAt(index) + e.key] = id;
    this.unmark(from.id);
    this.mark(id, index);
    return true;
  }

  entries(): TapeEntry[] {
    return this.list(false);
  }

  traits(key: string): EntryTraits | undefined {
    if (!this.batch.hasTraits) return undefined;
    const index = this.find(this.batch.intern(key));
    const at = this.batch.entryAt(index);
    const { u32 } = this.batch.module;
    if (index < 0 || (u32[at + e.kind]! & traitsFlag) === 0) return undefined;
    return this.batch.readTraits(u32[at + e.traits]!);
  }

  /** Gives an entry its metric type, unit and description; nothing happens when the key is absent. */
  setTraits(key: string, traits: EntryTraits): void {
    const { batch } = this;
    const index = this.find(batch.intern(key));
    if (index < 0) return;
    const address = batch.writeTraits(traits);
    const { u32 } = batch.module;
    const at = batch.entryAt(index);
    u32[at + e.kind]! |= traitsFlag;
    u32[at + e.traits] = address;
  }

  /** The entries in order; with `asBytes` every text is a slice of the batch's memory, so that it can go back without a copy. */
  list(asBytes: boolean): TapeEntry[] {
    const { batch } = this;
    const { module } = batch;
    const entries: TapeEntry[] = [];
    const here = this.here();
    let left = module.u32[here + p.count]!;
    let at = batch.entryAt(module.u32[here + p.first]!);
    let link = module.u32[here + p.more]!;
    for (;;) {
      // Reading a value may renew the views, but moves no entry.
      const { u32 } = module;
      if (left > 0) left--;
      else if (link === 0) return entries;
      else {
        at = batch.entryAt(link - 1);
        link = u32[at + e.link]!;
      }
      const word = u32[at + e.kind]!;
      if ((word & deadFlag) === 0) {
        const key = batch.keyText(u32[at + e.key]!);
        const traits = (word & traitsFlag) !== 0 ? batch.readTraits(u32[at + e.traits]!) : undefined;
        entries.push({ key, value: this.read(at, asBytes), isTag: (word & tagFlag) !== 0, traits });
      }
      at += entryWords;
    }
  }

  /** Replaces all entries: over the old ones, the rest goes to the overflow chain. Values may be slices of this batch. */
  rewrite(entries: readonly Entry[]): void {
    const { batch } = this;
    this.serial = 0;
    const { u32 } = batch.module;
    const here = this.here();
    const places = u32[here + p.count]!;
    u32[here + p.count] = Math.min(places, entries.length);
    u32[here + p.more] = 0;
    u32[here + p.last] = 0;
    const first = u32[here + p.first]!;
    entries.forEach(({ key, value, isTag }, i) => {
      const id = batch.intern(key);
      this.write(i < places ? first + i : this.append(), id, value, isTag);
    });
  }

  private here(): number {
    return this.batch.pointAt(this.index);
  }

  private idOf(key: Key): number {
    return key.batch === this.batch ? key.id : this.batch.resolve(key);
  }

  /** Index of the live entry with this key id, -1 when there is none. */
  private find(id: number): number {
    if (this.serial === 0) this.open();
    const { u32 } = this.batch.module;
    const record = (u32[(this.batch.base >>> 2) + head.keys]! >>> 2) + id * keyWords;
    return u32[record + k.line] === this.serial ? u32[record + k.entry]! : -1;
  }

  /** Marks the keys of the point. */
  private open(): void {
    const { batch } = this;
    this.address = this.here() << 2;
    this.serial = batch.module.exports.indexPoint(batch.base, this.address) >>> 0;
  }

  private mark(id: number, index: number): void {
    const { u32 } = this.batch.module;
    const record = (u32[(this.batch.base >>> 2) + head.keys]! >>> 2) + id * keyWords;
    u32[record + k.line] = this.serial;
    u32[record + k.entry] = index;
  }

  private unmark(id: number): void {
    const { u32 } = this.batch.module;
    u32[(u32[(this.batch.base >>> 2) + head.keys]! >>> 2) + id * keyWords + k.line] = 0;
  }

  /** The serial number of the marks, which are made when there are none; `address` is good then, too. */
  marked(): number {
    if (this.serial === 0) this.open();
    return this.serial;
  }

  // For functions of scripts that work on the tape: see in-place.ts. What they get is good until something is written.

  /** Index into `u32` of the live entry with this key, -1 when there is none. */
  at(key: Key): number {
    const { batch } = this;
    const id = key.batch === batch ? key.id : batch.resolve(key);
    if (this.serial === 0) this.open();
    const { u32 } = batch.module;
    const words = batch.base >>> 2;
    const record = (u32[words + head.keys]! >>> 2) + id * keyWords;
    if (u32[record + k.line] !== this.serial) return -1;
    return (u32[words + head.entries]! >>> 2) + u32[record + k.entry]! * entryWords;
  }

  /** The same, a new entry when there is none. */
  place(key: Key): number {
    const found = this.at(key);
    if (found >= 0) return found;
    const index = this.append();
    this.mark(key.id, index);
    const at = this.batch.entryAt(index);
    this.batch.module.u32[at + e.key] = key.id;
    return at;
  }

  private put(id: number, value: PointValue, isTag: boolean): void {
    const found = this.find(id);
    if (found >= 0) {
      this.write(found, id, value, isTag);
      return;
    }
    const index = this.append();
    this.mark(id, index);
    this.write(index, id, value, isTag);
  }

  /** Index of a new entry at the end of the overflow chain. */
  private append(): number {
    const { batch } = this;
    const index = batch.pushEntry();
    const { u32 } = batch.module;
    const here = this.here();
    const last = u32[here + p.last]!;
    if (last > 0) u32[batch.entryAt(last - 1) + e.link] = index + 1;
    else u32[here + p.more] = index + 1;
    u32[here + p.last] = index + 1;
    return index;
  }

  /** The value of the entry at this place of the memory, in words. */
  private read(at: number, asBytes: boolean): PointValue {
    const { batch } = this;
    const { u32, f64, i64 } = batch.module;
    const word = u32[at + e.kind]!;
    if ((word & sourceFlag) !== 0) {
      batch.module.exports.unpack(batch.base, at << 2);
      batch.module.refresh();
      return this.read(at, asBytes);
    }
    switch (word & kindMask) {
      case kinds.int: {
        const high = u32[at + e.number + 1]! | 0;
        if (high >= -0x200000 && high < 0x200000) return high * 0x100000000 + u32[at + e.number]!;
        return i64[(at + e.number) >>> 1]!;
      }
      case kinds.uint:
        return new Uint(integer(BigInt.asUintN(64, i64[(at + e.number) >>> 1]!)));
      case kinds.float:
        return new Float(f64[(at + e.number) >>> 1]!);
      case kinds.bool:
        return u32[at + e.number] !== 0;
      case kinds.string: {
        const address = u32[at + e.text]!;
        if (asBytes || (word & escapedFlag) !== 0 || !batch.isSliced(address)) return this.slice(at);
        return batch.decode(address, u32[at + e.length]!);
      }
      case kinds.binary:
        return batch.bytes(u32[at + e.text]!, u32[at + e.length]!).slice();
      case kinds.array:
        return this.array(at);
      default:
        return null;
    }
  }

  private slice(at: number): TapeBytes {
    const { batch } = this;
    if ((batch.module.u32[at + e.kind]! & escapedFlag) !== 0) {
      batch.module.exports.unescapeEntry(batch.base, at << 2);
      batch.module.refresh();
    }
    const { u32 } = batch.module;
    return new TapeBytes(batch, u32[at + e.text]!, u32[at + e.length]!);
  }

  private array(at: number): PointArray {
    const { batch } = this;
    const { u32, u8, i64, f64 } = batch.module;
    const kind = u32[at + e.number]!;
    const elements: Scalar[] = [];
    const end = u32[at + e.text]! + u32[at + e.length]! * elementBytes;
    for (let address = u32[at + e.text]!; address < end; address += elementBytes) {
      const word = address >>> 2;
      const wide = address >>> 3;
      if (kind === kinds.int) elements.push(integer(i64[wide]!));
      else if (kind === kinds.uint) elements.push(new Uint(integer(BigInt.asUintN(64, i64[wide]!))));
      else if (kind === kinds.float) elements.push(new Float(f64[wide]!));
      else if (kind === kinds.bool) elements.push(u32[word] !== 0);
      else if (kind === kinds.binary) elements.push(u8.slice(u32[word]!, u32[word]! + u32[word + 1]!));
      else elements.push(this.element(u32[word]!, u32[word + 1]!));
    }
    return new PointArray(elements);
  }

  /** Text of an array: a string, but where bytes would be lost the bytes. */
  private element(address: number, length: number): Text {
    const text = this.batch.decode(address, length);
    return text.includes("\ufffd") ? new OwnedBytes(this.batch.bytes(address, length).slice()) : text;
  }

  private write(index: number, id: number, value: PointValue, isTag: boolean): void {
    const { batch } = this;
    const tag = isTag ? tagFlag : 0;
    if (typeof value === "string" || isBytes(value)) {
      const { address, length } = this.textPlace(value);
      this.store(index, id, kinds.string | tag, address, length);
      return;
    }
    const number = (batch.entryAt(index) + e.number) >>> 1;
    const { i64, f64 } = batch.module;
    if (value === null) this.store(index, id, kinds.nil | tag, 0, 0);
    else if (value instanceof Float) {
      this.store(index, id, kinds.float | tag, 0, 0);
      f64[number] = value.value;
    } else if (value instanceof Uint) {
      this.store(index, id, kinds.uint | tag, 0, 0);
      i64[number] = BigInt.asIntN(64, BigInt(value.value));
    } else if (typeof value === "boolean") {
      this.store(index, id, kinds.bool | tag, 0, 0);
      i64[number] = value ? 1n : 0n;
    } else if (value instanceof PointArray) this.writeArray(index, id, value.elements, tag);
    else if (typeof value === "object") {
      this.store(index, id, kinds.binary | tag, batch.write(value), value.length);
    } else {
      this.store(index, id, kinds.int | tag, 0, 0);
      i64[number] = BigInt.asIntN(64, BigInt(value));
    }
  }

  /** Packs the elements on the heap; all are of the kind of the first. */
  private writeArray(index: number, id: number, elements: readonly Scalar[], tag: number): void {
    const { batch } = this;
    const address = batch.take(elements.length * elementBytes);
    const kind = elements.length > 0 ? kindOf(elements[0]!) : "nil";
    for (const [i, element] of elements.entries()) {
      if (kindOf(element) !== kind) throw new TypeError(`an array of ${kind} with an element of ${kindOf(element)}`);
      const word = (address >>> 2) + 2 * i;
      if (typeof element === "string" || isBytes(element) || element instanceof Uint8Array) {
        const place =
          element instanceof Uint8Array
            ? { address: batch.write(element), length: element.length }
            : this.textPlace(element);
        batch.module.u32[word] = place.address;
        batch.module.u32[word + 1] = place.length;
      } else if (element instanceof Float) batch.module.f64[word >>> 1] = element.value;
      else {
        const number = element instanceof Uint ? element.value : element;
        batch.module.i64[word >>> 1] = BigInt.asIntN(64, BigInt(number));
      }
    }
    this.store(index, id, kinds.array | tag, address, elements.length);
    batch.module.u32[batch.entryAt(index) + e.number] = kinds[kind as keyof typeof kinds];
  }

  private store(index: number, id: number, kind: number, text: number, length: number): void {
    const { u32 } = this.batch.module;
    const at = this.batch.entryAt(index);
    u32[at + e.key] = id;
    u32[at + e.kind] = kind;
    u32[at + e.text] = text;
    u32[at + e.length] = length;
  }

  /** Where the bytes of a text lie: slices of this batch stay where they are, all else is written to the heap. */
  private textPlace(value: Text): { address: number; length: number } {
    if (typeof value === "string") return this.batch.writeText(value);
    if (value instanceof TapeBytes && value.batch === this.batch) {
      this.batch.requireLive();
      return { address: value.address, length: value.length };
    }
    // In this order: taking memory may detach a view of it.
    const address = this.batch.take(value.length);
    this.batch.module.u8.set(value.view(), address);
    return { address, length: value.length };
  }
}
