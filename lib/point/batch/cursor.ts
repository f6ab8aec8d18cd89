// A cursor reads and changes one point of a batch on the tape (the binary form of points in WebAssembly memory).
// New values of tags and fields overwrite the old ones in place, and new entries are added to a chain of
// overflow entries. Deleted entries stay on the tape as dead entries, so that the remaining entries keep their
// order (docs/decisions/tape.md).

import { refuse, requireString } from "../../text/argument.ts";
import type { Bytes, Text } from "../../text/bytes.ts";
import {
  deadFlag,
  entry as e,
  entryWords,
  head,
  key as k,
  keyWords,
  kindMask,
  kinds,
  point as p,
  pointSeries,
  pointTimed,
  tagFlag,
  traitsFlag,
} from "../../wasm/tape.ts";
import { requireFieldValue, requireTagValue } from "../point.ts";
import type { PointValue } from "../value.ts";
import type { Entry, EntryTraits, Key, PointView, Warning } from "../view.ts";
import type { Batch } from "./batch.ts";
import { readValue, textAt } from "./read-entry.ts";
import { writeEntry } from "./write-entry.ts";

interface TapeEntry extends Entry {
  readonly traits: EntryTraits | undefined;
}

export class Cursor implements PointView {
  /** The batch that contains the point. Only code in this folder uses the property. */
  readonly batch: Batch;
  /** Index of the point in the batch. Only code in this folder changes it. */
  index = -1;
  /**
   * Serial number of the point's key index; 0 while the point has no index. The index is built at the first
   * look-up: for each key of the point, the position of its entry and this serial number are written to the
   * batch's table of keys. The serial number shows that a position belongs to this point and not to an earlier
   * point. Code that changes keys or moves entries updates the index.
   */
  serial = 0;
  /** Address of the point in WebAssembly memory; valid while `serial` is not 0. */
  address = 0;

  constructor(batch: Batch) {
    this.batch = batch;
  }

  moveTo(index: number): void {
    this.index = index;
    this.serial = 0;
  }

  /**
   * Drops the point's key index (which finds the entry of a key). Called before a change that does not update the
   * index.
   */
  forget(): void {
    this.serial = 0;
  }

  get name(): string {
    const { u32 } = this.batch.module;
    const at = this.here();
    return this.batch.decode(u32[at + p.name]!, u32[at + p.nameLength]!);
  }

  set name(name: string) {
    requireString("point", "name", name);
    const { address, length } = this.batch.writeText(name);
    const { u32 } = this.batch.module;
    const at = this.here();
    u32[at + p.name] = address;
    u32[at + p.nameLength] = length;
    this.forgetLine();
  }

  get time(): bigint {
    return this.batch.module.i64[(this.here() + p.time) >>> 1]!;
  }

  set time(time: bigint) {
    if (typeof time !== "bigint") refuse("point", "time", "a bigint of nanoseconds", time);
    const at = this.here();
    this.batch.module.i64[(at + p.time) >>> 1] = time;
    this.batch.module.u32[at + p.flags]! &= ~pointTimed;
  }

  get warnings(): readonly Warning[] {
    return this.batch.warnings(this.index);
  }

  has(key: Key): boolean {
    return this.find(this.idOf(key, "has")) >= 0;
  }

  isTag(key: Key): boolean {
    const at = this.at(key, "isTag");
    return at >= 0 && (this.batch.module.u32[at + e.kind]! & tagFlag) !== 0;
  }

  get(key: Key): PointValue | undefined {
    const index = this.find(this.idOf(key, "get"));
    return index < 0 ? undefined : readValue(this.batch, this.batch.entryAt(index), false);
  }

  textInPlace(key: Key): Bytes | undefined {
    const index = this.find(this.idOf(key, "textInPlace"));
    if (index < 0) return undefined;
    const at = this.batch.entryAt(index);
    if ((this.batch.module.u32[at + e.kind]! & kindMask) !== kinds.string) return undefined;
    return textAt(this.batch, at);
  }

  setField(key: Key, value: PointValue): void {
    requireFieldValue(value);
    this.put(this.idOf(key, "setField"), value, false);
  }

  setTag(key: Key, value: Text): void {
    requireTagValue(value);
    this.put(this.idOf(key, "setTag"), value, true);
  }

  delete(key: Key): boolean {
    const at = this.at(key, "delete");
    if (at < 0) return false;
    this.batch.module.u32[at + e.kind]! |= deadFlag;
    this.forgetLine();
    this.unmark(key.id);
    return true;
  }

  rename(from: Key, to: Key): boolean {
    const index = this.find(this.idOf(from, "rename"));
    const id = this.idOf(to, "rename");
    if (index < 0) return false;
    const other = this.find(id);
    if (other === index) return true;
    const { u32 } = this.batch.module;
    if (other >= 0) u32[this.batch.entryAt(other) + e.kind]! |= deadFlag;
    u32[this.batch.entryAt(index) + e.key] = id;
    this.forgetLine();
    this.unmark(from.id);
    this.mark(id, index);
    return true;
  }

  entries(): TapeEntry[] {
    return this.list(false);
  }

  traits(key: string): EntryTraits | undefined {
    this.batch.requireLive();
    if (!this.batch.hasTraits) return undefined;
    const index = this.find(this.batch.intern(key));
    const at = this.batch.entryAt(index);
    const { u32 } = this.batch.module;
    if (index < 0 || (u32[at + e.kind]! & traitsFlag) === 0) return undefined;
    return this.batch.readTraits(u32[at + e.traits]!);
  }

  /** Sets the metric type, unit and description of a tag or field; does nothing when the key is absent. */
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

  /**
   * Returns the tags and fields of the point in order. When `asBytes` is true, every string is a slice of the batch's
   * memory, so that it can be written back without a copy.
   */
  list(asBytes: boolean): TapeEntry[] {
    const { batch } = this;
    const { module } = batch;
    const entries: TapeEntry[] = [];
    const here = this.here();
    let left = module.u32[here + p.count]!;
    let at = batch.entryAt(module.u32[here + p.first]!);
    let link = module.u32[here + p.more]!;
    for (;;) {
      // Reading a value may grow the WebAssembly memory, so the JavaScript view of the memory is taken again. The
      // addresses of tags and fields stay valid when the memory grows.
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
        entries.push({ key, value: readValue(batch, at, asBytes), isTag: (word & tagFlag) !== 0, traits });
      }
      at += entryWords;
    }
  }

  /**
   * Replaces all tags and fields of the point: first overwrites the old entries, then adds overflow entries. The new
   * values may be slices of this batch's memory.
   */
  rewrite(entries: readonly Entry[]): void {
    const { batch } = this;
    this.serial = 0;
    this.forgetLine();
    const { u32 } = batch.module;
    const here = this.here();
    const places = u32[here + p.count]!;
    u32[here + p.count] = Math.min(places, entries.length);
    u32[here + p.more] = 0;
    u32[here + p.last] = 0;
    const first = u32[here + p.first]!;
    entries.forEach(({ key, value, isTag }, i) => {
      const id = batch.intern(key);
      writeEntry(batch, i < places ? first + i : this.append(), id, value, isTag);
    });
  }

  /**
   * Records that the point no longer equals its line in the body, so that encoders do not copy the line. Must be
   * called before a change of the measurement, or of a tag or field that was read from the line. Adding entries
   * does not need this call.
   */
  forgetLine(): void {
    this.batch.module.u32[this.here() + p.flags]! &= ~pointSeries;
  }

  private here(): number {
    return this.batch.pointAt(this.index);
  }

  private idOf(key: Key, call: string): number {
    return key?.batch === this.batch ? key.id : this.batch.resolve(key, call);
  }

  /**
   * Returns the index of the tag or field that has the key with the given id and is not deleted; -1 when there is none.
   */
  private find(id: number): number {
    if (this.serial === 0) this.open();
    const { u32 } = this.batch.module;
    const record = (u32[(this.batch.base >>> 2) + head.keys]! >>> 2) + id * keyWords;
    return u32[record + k.line] === this.serial ? u32[record + k.entry]! : -1;
  }

  /** Builds the point's key index, which finds the entry of a key. */
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

  /**
   * Returns the serial number of the point's key index (which finds the entry of a key). Builds the index when
   * there is none. After the call, `address` is valid, too.
   */
  marked(): number {
    if (this.serial === 0) this.open();
    return this.serial;
  }

  // The following methods of the cursor are for script functions that work directly on the tape, the binary form of
  // points (see in-place.ts). The returned indexes are valid until the next write.

  /**
   * Returns the index into `u32` (the WebAssembly memory) of the tag or field with the given key; -1 when there is
   * none.
   */
  at(key: Key, call = "at"): number {
    const { batch } = this;
    const id = key?.batch === batch ? key.id : batch.resolve(key, call);
    if (this.serial === 0) this.open();
    const { u32 } = batch.module;
    const words = batch.base >>> 2;
    const record = (u32[words + head.keys]! >>> 2) + id * keyWords;
    if (u32[record + k.line] !== this.serial) return -1;
    return (u32[words + head.entries]! >>> 2) + u32[record + k.entry]! * entryWords;
  }

  /** Returns the index into `u32` of the tag or field with the given key; adds an entry when there is none. */
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
      this.forgetLine();
      writeEntry(this.batch, found, id, value, isTag);
      return;
    }
    const index = this.append();
    this.mark(id, index);
    writeEntry(this.batch, index, id, value, isTag);
  }

  /** Adds a new entry (tag or field) at the end of the point's chain of overflow entries, and returns its index. */
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
}
