// One point of a batch, read and changed on the tape: values are overwritten in place, new entries go to the overflow chain, deleted
// ones stay as dead entries so that the order is kept (architecture, rules of memory 2 and 3).

import { parseArray } from "./array-source.ts";
import type { Batch } from "./batch.ts";
import { decodeBase64 } from "./codec/base64.ts";
import {
  deadFlag,
  entry as e,
  entryWords,
  escapedFlag,
  head,
  kinds,
  point as p,
  sideFlag,
  sourceFlag,
  tagFlag,
  textOnlyFlag,
} from "./tape.ts";
import { TapeBytes } from "./tape-bytes.ts";
import { type Bytes, Float, integer, isBytes, PointArray, type PointValue, type Text, Uint } from "./value.ts";
import type { Entry, Key, PointView, Warning } from "./view.ts";

const kindMask = 0xff;
const backslash = 0x5c;

export class Cursor implements PointView {
  private readonly batch: Batch;
  private index = -1;

  constructor(batch: Batch) {
    this.batch = batch;
  }

  moveTo(index: number): void {
    this.index = index;
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
    const index = this.find(this.idOf(key));
    return index >= 0 && (this.batch.module.u32[this.batch.entryAt(index) + e.kind]! & tagFlag) !== 0;
  }

  get(key: Key): PointValue | undefined {
    const index = this.find(this.idOf(key));
    return index < 0 ? undefined : this.read(index, false);
  }

  textInPlace(key: Key): Bytes | undefined {
    const index = this.find(this.idOf(key));
    if (index < 0) return undefined;
    const word = this.batch.module.u32[this.batch.entryAt(index) + e.kind]!;
    if ((word & kindMask) !== kinds.string || (word & sideFlag) !== 0) return undefined;
    return this.slice(index);
  }

  setField(key: Key, value: PointValue): void {
    this.put(this.idOf(key), value, false);
  }

  setTag(key: Key, value: Text): void {
    this.put(this.idOf(key), value, true);
  }

  delete(key: Key): boolean {
    const index = this.find(this.idOf(key));
    if (index < 0) return false;
    this.batch.module.u32[this.batch.entryAt(index) + e.kind]! |= deadFlag;
    return true;
  }

  rename(from: Key, to: Key): boolean {
    const index = this.find(this.idOf(from));
    if (index < 0) return false;
    const id = this.idOf(to);
    const { u32 } = this.batch.module;
    const other = this.find(id);
    if (other === index) return true;
    if (other >= 0) u32[this.batch.entryAt(other) + e.kind]! |= deadFlag;
    u32[this.batch.entryAt(index) + e.key] = id;
    return true;
  }

  entries(): Entry[] {
    return this.list(false);
  }

  /** The entries in order; with `asBytes` every text is a slice of the batch's memory, so that it can go back without a copy. */
  list(asBytes: boolean): Entry[] {
    const { batch } = this;
    const entries: Entry[] = [];
    for (let index = this.firstEntry(); index >= 0; index = this.next(index)) {
      const at = batch.entryAt(index);
      const { u32 } = batch.module;
      const word = u32[at + e.kind]!;
      if ((word & deadFlag) !== 0) continue;
      const key = batch.keyText(u32[at + e.key]!);
      entries.push({ key, value: this.read(index, asBytes), isTag: (word & tagFlag) !== 0 });
    }
    return entries;
  }

  /** Replaces all entries: over the old ones, the rest goes to the overflow chain. Values may be slices of this batch. */
  rewrite(entries: readonly Entry[]): void {
    const { batch } = this;
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
    const { u32 } = this.batch.module;
    const here = this.here();
    const first = u32[here + p.first]!;
    const stop = first + u32[here + p.count]!;
    let at = this.batch.entryAt(first);
    for (let index = first; index < stop; index++, at += entryWords) {
      if (u32[at + e.key] === id && (u32[at + e.kind]! & deadFlag) === 0) return index;
    }
    for (let link = u32[here + p.more]!; link > 0; ) {
      at = this.batch.entryAt(link - 1);
      if (u32[at + e.key] === id && (u32[at + e.kind]! & deadFlag) === 0) return link - 1;
      link = u32[at + e.link]!;
    }
    return -1;
  }

  private firstEntry(): number {
    const { u32 } = this.batch.module;
    const here = this.here();
    return u32[here + p.count]! > 0 ? u32[here + p.first]! : u32[here + p.more]! - 1;
  }

  /** The entry behind one, dead ones too; -1 at the end. */
  private next(index: number): number {
    const { u32 } = this.batch.module;
    const here = this.here();
    const first = u32[here + p.first]!;
    const stop = first + u32[here + p.count]!;
    if (index >= first && index < stop) return index + 1 < stop ? index + 1 : u32[here + p.more]! - 1;
    return u32[this.batch.entryAt(index) + e.link]! - 1;
  }

  private put(id: number, value: PointValue, isTag: boolean): void {
    const found = this.find(id);
    this.write(found >= 0 ? found : this.append(), id, value, isTag);
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

  private read(index: number, asBytes: boolean): PointValue {
    const { batch } = this;
    const { u32, f64, i64 } = batch.module;
    const at = batch.entryAt(index);
    const word = u32[at + e.kind]!;
    if ((word & sideFlag) !== 0) return batch.side[u32[at + e.text]!]!;
    switch (word & kindMask) {
      case kinds.int: {
        const high = u32[at + e.number + 1]! | 0;
        if (high >= -0x200000 && high < 0x200000) return high * 0x100000000 + u32[at + e.number]!;
        return i64[(at + e.number) >>> 1]!;
      }
      case kinds.uint:
        return new Uint(integer(BigInt.asUintN(64, i64[(at + e.number) >>> 1]!)));
      case kinds.float:
        if ((word & textOnlyFlag) !== 0) {
          f64[(at + e.number) >>> 1] = Number(batch.decode(u32[at + e.text]!, u32[at + e.length]!));
          u32[at + e.kind] = word & ~textOnlyFlag;
        }
        return new Float(f64[(at + e.number) >>> 1]!);
      case kinds.bool:
        return u32[at + e.number] !== 0;
      case kinds.string:
        return this.text(index, asBytes);
      case kinds.binary:
      case kinds.array:
        return this.source(at, (word & kindMask) === kinds.binary);
      default:
        return null;
    }
  }

  private text(index: number, asBytes: boolean): Text {
    const { batch } = this;
    const bytes = this.slice(index);
    return !asBytes && batch.isAscii(bytes.address) ? batch.decode(bytes.address, bytes.length) : bytes;
  }

  private slice(index: number): TapeBytes {
    const { batch } = this;
    if ((batch.module.u32[batch.entryAt(index) + e.kind]! & escapedFlag) !== 0) this.unescape(index);
    const { u32 } = batch.module;
    const at = batch.entryAt(index);
    return new TapeBytes(batch, u32[at + e.text]!, u32[at + e.length]!);
  }

  /** Moves a string to the heap, its `\"` and `\\` resolved. */
  private unescape(index: number): void {
    const { batch } = this;
    const length = batch.module.u32[batch.entryAt(index) + e.length]!;
    const target = batch.take(length);
    const { u8, u32 } = batch.module;
    const at = batch.entryAt(index);
    let from = u32[at + e.text]!;
    const stop = from + length;
    let to = target;
    while (from < stop) {
      let byte = u8[from++]!;
      if (byte === backslash && from < stop && (u8[from] === 0x22 || u8[from] === backslash)) byte = u8[from++]!;
      u8[to++] = byte;
    }
    u32[at + e.text] = target;
    u32[at + e.length] = to - target;
    u32[at + e.kind]! &= ~escapedFlag;
  }

  /** Parses a binary or an array once; from then on it lies in the side table. */
  private source(at: number, isBinary: boolean): PointValue {
    const { batch } = this;
    const { u32 } = batch.module;
    const bytes = batch.bytes(u32[at + e.text]!, u32[at + e.length]!);
    const value = isBinary ? decodeBase64(bytes)! : parseArray(bytes);
    u32[at + e.text] = batch.side.push(value) - 1;
    u32[at + e.kind] = (u32[at + e.kind]! & ~sourceFlag) | sideFlag;
    return value;
  }

  private write(index: number, id: number, value: PointValue, isTag: boolean): void {
    const { batch } = this;
    const tag = isTag ? tagFlag : 0;
    if (typeof value === "string" || isBytes(value)) {
      const { address, length } = this.place(value);
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
    } else if (typeof value === "object") {
      const kind = value instanceof PointArray ? kinds.array : kinds.binary;
      this.store(index, id, kind | sideFlag | tag, batch.side.push(value) - 1, 0);
    } else {
      this.store(index, id, kinds.int | tag, 0, 0);
      i64[number] = BigInt.asIntN(64, BigInt(value));
    }
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
  private place(value: Text): { address: number; length: number } {
    if (typeof value === "string") return this.batch.writeText(value);
    if (value instanceof TapeBytes && value.batch === this.batch) {
      this.batch.head(head.body);
      return { address: value.address, length: value.length };
    }
    const bytes = value.view();
    return { address: this.batch.write(bytes), length: bytes.length };
  }
}
