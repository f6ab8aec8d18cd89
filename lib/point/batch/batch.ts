// A batch: the points of one decoded body, lying in the module's memory. It owns body, tape, edits and heap from `decode` to
// `release`; nothing points into it except through it (architecture, rules of memory 1 to 3).

import type { WasmModule } from "../../wasm/module.ts";
import { pageSize, scratchSize, shortText } from "../../wasm/module.ts";
import {
  deadFlag,
  entry as entryLayout,
  entryWords,
  head,
  key as keyLayout,
  keyWords,
  point as pointLayout,
  pointNoted,
  pointRequired,
  pointWarned,
  pointWords,
  tagFlag,
  traitsBytes,
  traits as traitsLayout,
  warning as warningLayout,
  warningWords,
} from "../../wasm/tape.ts";
import { Point } from "../point.ts";
import { byteLength } from "../text.ts";
import type { EntryTraits, Key, Literal, PointSeries, PointView, Warning } from "../view.ts";
import { correctChanged } from "./correct-changed.ts";
import { Cursor } from "./cursor.ts";
import { notedPoints, requiredWarning, warningsOf } from "./notes.ts";
import { Selection } from "./selection.ts";
import type { Corrected } from "./settings.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What the points of one decode can be asked, wherever they lie. */
export interface PointBatch extends PointSeries {
  /** A copy that lives in JavaScript and outlasts the batch. */
  point(index: number): Point;
  /** Gives the tag to every point that has the key neither as tag nor as field. */
  addTag(key: Key, value: string): void;
  /** Places of the points that have a field; undefined when all have one. The others are kept nowhere. */
  withField(): readonly number[] | undefined;
  /** The corrections that were made to it. */
  warnings(index: number): readonly Warning[];
  /** Corrects the point again, after it was changed: what was done to it is added to its warnings. */
  correct(index: number): void;
  /** Gives the memory back; nothing of the batch may be used afterwards. */
  release(): void;
}

/** Lists of warnings that are looked for among those on the heap. */
const mostLists = 1000;
const none: readonly Warning[] = [];
/** Bytes a point: up to here a string of all lines is about as quickly made as strings of one or two texts of each. */
const longestSliced = 512;

export class Batch implements PointBatch {
  length: number;
  readonly module: WasmModule;
  /** Address of the head. */
  readonly base: number;
  /** Counts up when the memory is given back: slices made before are stale then. */
  generation = 0;
  /** Whether any entry may have metric type, unit or description. */
  hasTraits = false;
  /** Bytes taken of the heap so far. */
  heapBytes = 0;
  /** The JSON text that was indexed last, and the address of its index: texts stay where they are, and scripts ask for several members. */
  readonly indexed = { address: 0, length: 0, first: 0 };
  /** What was asked of the points; null when nothing was. */
  private readonly corrected: Corrected | null;
  /** Whether the memory goes to the next window of the body rather than back. */
  private readonly isWindow: boolean;
  /** Warnings of points that JavaScript corrected; those of the others are notes on the tape. Null while there are none. */
  private warningTable: Map<number, readonly Warning[]> | null = null;
  private notesLaid = false;
  /** Points whose warnings are not on the tape yet; null while there are none. */
  private unlaid: Set<number> | null = null;
  private ids: Map<string, number> | null = null;
  private readonly keyTexts: (string | undefined)[] = [];
  private readonly cursor: Cursor;
  /** Where the lines of this batch's points stand: the body, or a window of it. */
  private readonly linesStart: number;
  private readonly linesEnd: number;
  /** Null until somebody asks. */
  private isAsciiBody: boolean | null = null;
  /** The lines as a string, once any of it was read: see `isSliced`. */
  private linesText: string | null = null;

  /** `windowStart`: the points are those of the lines from this address on that were scanned, and the memory goes to the next window. */
  constructor(module: WasmModule, base: number, corrected: Corrected | null = null, windowStart: number | null = null) {
    this.module = module;
    this.base = base;
    this.corrected = corrected;
    this.isWindow = windowStart !== null;
    this.length = this.head(head.pointCount);
    this.linesStart = windowStart ?? this.head(head.body);
    this.linesEnd = this.isWindow ? this.head(head.nextLine) : this.linesStart + this.head(head.length);
    this.cursor = new Cursor(this);
  }

  /** A batch without points, for those that lie in JavaScript: see `add`. */
  static empty(module: WasmModule, corrected: Corrected | null = null): Batch {
    const base = module.exports.createBatch(0) >>> 0;
    module.refresh();
    return new Batch(module, base, corrected);
  }

  at(index: number): Cursor {
    if (index < 0 || index >= this.length) throw new RangeError(`no point ${index} in a batch of ${this.length}`);
    this.cursor.moveTo(index);
    return this.cursor;
  }

  /** Each point in turn, as the one reused cursor: copy what must outlast its turn. */
  *[Symbol.iterator](): Iterator<Cursor> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  point(index: number): Point {
    return Point.copyOf(this.at(index));
  }

  select(indexes: readonly number[]): Selection {
    return new Selection(this, indexes);
  }

  addTag(key: Key, value: string): void {
    const id = key.batch === this ? key.id : this.resolve(key);
    const { address, length } = this.lend(value);
    this.module.exports.addTag(this.base, id, address, length);
    this.module.refresh();
    this.cursor.forget();
  }

  withField(): readonly number[] | undefined {
    let at = 0;
    while (at < this.length && this.hasField(at)) at++;
    if (at === this.length) return undefined;
    const found = Array.from({ length: at }, (_, index) => index);
    for (at++; at < this.length; at++) if (this.hasField(at)) found.push(at);
    return found;
  }

  private hasField(index: number): boolean {
    const { u32 } = this.module;
    const at = this.pointAt(index);
    const first = u32[at + pointLayout.first]!;
    const end = first + u32[at + pointLayout.count]!;
    const isField = (entry: number) => (u32[this.entryAt(entry) + entryLayout.kind]! & (tagFlag | deadFlag)) === 0;
    for (let entry = first; entry < end; entry++) if (isField(entry)) return true;
    for (let next = u32[at + pointLayout.more]!; next !== 0; next = u32[this.entryAt(next - 1) + entryLayout.link]!) {
      if (isField(next - 1)) return true;
    }
    return false;
  }

  warnings(index: number): readonly Warning[] {
    const own = this.warningTable?.get(index);
    if (own !== undefined) return own;
    const flags = this.module.u32[this.pointAt(index) + pointLayout.flags]!;
    if ((flags & (pointNoted | pointRequired)) === 0 || this.corrected === null) return none;
    const appended = (flags & pointRequired) !== 0 ? requiredWarning(this.corrected.rules) : none;
    return (flags & pointNoted) === 0 ? appended : [...warningsOf(this, index, this.corrected), ...appended];
  }

  correct(index: number): void {
    if (this.corrected === null) throw new Error("these points were not decoded for a category");
    this.requireLive();
    correctChanged(this, index, this.corrected);
  }

  release(): void {
    if (this.generation > 0) return;
    this.generation++;
    this.cursor.forget();
    if (!this.isWindow) this.module.exports.freeBatch(this.base);
  }

  // What follows is for `lib/point` only. Addresses of points and entries are indexes into `module.u32`.

  /** Throws when the memory was given back. */
  requireLive(): void {
    if (this.generation > 0) throw new Error("the batch has been released");
  }

  head(word: number): number {
    this.requireLive();
    return this.module.u32[(this.base >>> 2) + word]!;
  }

  pointAt(index: number): number {
    return (this.head(head.points) >>> 2) + index * pointWords;
  }

  entryAt(index: number): number {
    return (this.module.u32[(this.base >>> 2) + head.entries]! >>> 2) + index * entryWords;
  }

  setWarnings(index: number, warnings: readonly Warning[]): void {
    this.warningTable ??= new Map();
    this.warningTable.set(index, warnings);
    this.unlaid ??= new Set();
    this.unlaid.add(index);
  }

  /** Puts all warnings on the tape, where encoders find them. */
  layWarnings(): void {
    if (this.corrected !== null && this.corrected.rules.required !== null && this.head(head.warnings) === 0) {
      const list = this.writeWarnings(requiredWarning(this.corrected.rules));
      this.module.u32[(this.base >>> 2) + head.warnings] = list;
    }
    if (!this.notesLaid) {
      this.notesLaid = true;
      for (const index of notedPoints(this)) {
        if (this.warningTable?.has(index) !== true) this.setWarnings(index, this.warnings(index));
      }
    }
    // Points of one body mostly have the same warnings: a list stands on the heap once, and memory does not grow with the points.
    const lists = new Map<string, number>();
    for (const index of this.unlaid ?? []) {
      const warnings = this.warningTable!.get(index)!;
      const text = warnings.map(({ type, message }) => `${type}\0${message}`).join("\0");
      const list = lists.get(text) ?? this.writeWarnings(warnings);
      if (lists.size < mostLists) lists.set(text, list);
      const at = this.pointAt(index);
      this.module.u32[at + pointLayout.warnings] = list;
      this.module.u32[at + pointLayout.flags]! |= pointWarned;
    }
    this.unlaid = null;
  }

  private writeWarnings(warnings: readonly Warning[]): number {
    if (warnings.length === 0) return 0;
    const list = this.take(4 + warnings.length * warningWords * 4);
    this.module.u32[list >>> 2] = warnings.length;
    for (const [i, { type, message }] of warnings.entries()) {
      const at = (list >>> 2) + 1 + i * warningWords;
      const [typeText, messageText] = [this.writeText(type), this.writeText(message)];
      const { u32 } = this.module;
      u32[at + warningLayout.type] = typeText.address;
      u32[at + warningLayout.typeLength] = typeText.length;
      u32[at + warningLayout.message] = messageText.address;
      u32[at + warningLayout.messageLength] = messageText.length;
    }
    return list;
  }

  /** Address of the record. */
  writeTraits({ metricType, unit, description }: EntryTraits): number {
    const address = this.take(traitsBytes);
    const [unitText, descriptionText] = [this.writeText(unit), this.writeText(description)];
    const { u32 } = this.module;
    const at = address >>> 2;
    u32[at + traitsLayout.type] = metricType;
    u32[at + traitsLayout.unit] = unitText.address;
    u32[at + traitsLayout.unitLength] = unitText.length;
    u32[at + traitsLayout.description] = descriptionText.address;
    u32[at + traitsLayout.descriptionLength] = descriptionText.length;
    this.hasTraits = true;
    return address;
  }

  readTraits(address: number): EntryTraits {
    const { u32 } = this.module;
    const at = address >>> 2;
    return {
      metricType: u32[at + traitsLayout.type]! | 0,
      unit: this.decode(u32[at + traitsLayout.unit]!, u32[at + traitsLayout.unitLength]!),
      description: this.decode(u32[at + traitsLayout.description]!, u32[at + traitsLayout.descriptionLength]!),
    };
  }

  /** Appends a copy of a point, with its warnings. */
  add(point: PointView): void {
    const index = this.module.exports.pushPointWith(this.base, [...point.entries()].length);
    this.module.refresh();
    this.length = index + 1;
    this.replace(index, point);
  }

  /** Makes a point of the batch a copy of another, with its warnings. Values may be slices of this batch. */
  replace(index: number, point: PointView): void {
    const entries = [...point.entries()];
    const cursor = this.at(index);
    if (cursor.name !== point.name) cursor.name = point.name;
    cursor.time = point.time;
    cursor.rewrite(entries);
    for (const { key } of point.traits === undefined ? [] : entries) {
      const traits = point.traits!(key);
      if (traits !== undefined) cursor.setTraits(key, traits);
    }
    if (point.warnings !== undefined && point.warnings.length > 0) this.setWarnings(index, point.warnings);
  }

  /** The id of a key in this batch; asked once for each Key, which then remembers it. */
  resolve(key: Key): number {
    key.id = this.idOf(key.text);
    key.batch = this;
    return key.id;
  }

  intern(text: string): number {
    this.ids ??= new Map();
    let id = this.ids.get(text);
    if (id === undefined) {
      id = this.idOf(text);
      this.ids.set(text, id);
    }
    return id;
  }

  private idOf(text: string): number {
    const { address, length } = this.lend(text);
    const id = this.module.exports.internCopy(this.base, address, length);
    this.module.refresh();
    return id;
  }

  /** Puts text where the next call of the module finds it; address and length in bytes. */
  private lend(text: string): { address: number; length: number } {
    const { scratch } = this.module;
    if (text.length * 3 <= scratchSize) return { address: scratch, length: this.module.write(text, scratch) };
    const bytes = encoder.encode(text);
    return { address: this.write(bytes), length: bytes.length };
  }

  keyText(id: number): string {
    const known = this.keyTexts[id];
    if (known !== undefined) return known;
    const { u32 } = this.module;
    const at = (this.head(head.keys) >>> 2) + id * keyWords;
    const text = this.decode(u32[at + keyLayout.text]!, u32[at + keyLayout.length]!);
    this.keyTexts[id] = text;
    return text;
  }

  /** Text at an address. Texts of short ASCII lines are slices of one string of all lines, so who keeps the text keeps the lines'. */
  decode(address: number, length: number): string {
    this.requireLive();
    if (!this.isSliced(address) || address + length > this.linesEnd) return decoder.decode(this.bytes(address, length));
    const start = this.linesStart;
    this.linesText ??= decoder.decode(this.bytes(start, this.linesEnd - start));
    return this.linesText.slice(address - start, address - start + length);
  }

  /**
   * Whether text at this address comes as a slice. It does where the whole of the lines costs less to make a string of than one text of
   * each point would: what nobody reads of a long point stays unread.
   */
  isSliced(address: number): boolean {
    return this.linesEnd - this.linesStart <= this.length * longestSliced && this.isAscii(address);
  }

  /** Whether text at this address is known to be ASCII: looks through the whole body when it is asked first. */
  isAscii(address: number): boolean {
    if (address < this.linesStart || address > this.linesEnd) return false;
    this.isAsciiBody ??= (this.head(head.ascii) || this.module.exports.lookForAscii(this.base)) === 1;
    return this.isAsciiBody;
  }

  bytes(address: number, length: number): Uint8Array {
    return this.module.u8.subarray(address, address + length);
  }

  /** Puts bytes on the batch's heap; gives the address. */
  write(bytes: Uint8Array): number {
    const address = this.take(bytes.length);
    this.module.u8.set(bytes, address);
    return address;
  }

  take(length: number): number {
    this.heapBytes += length;
    const { u32 } = this.module;
    const words = this.base >>> 2;
    const at = u32[words + head.heapAt]!;
    // What the module's `heapTake` does while the chunk lasts.
    const behind = at + (((length + 23) & ~7) >>> 0);
    if (at !== 0 && behind <= u32[words + head.heapEnd]!) {
      u32[words + head.heapAt] = behind;
      return at;
    }
    const address = this.module.exports.heapTake(this.base, length);
    this.module.refresh();
    return address >>> 0;
  }

  /** Where a literal lies on the heap. */
  placeLiteral(literal: Literal): number {
    if (literal.batch !== this) {
      literal.address = this.write(literal.bytes);
      literal.batch = this;
    }
    return literal.address;
  }

  /** Puts text on the heap; gives address and length in bytes. */
  writeText(text: string): { address: number; length: number } {
    const { length } = text;
    if (length <= shortText) {
      const address = this.take(length);
      if (this.module.writeAscii(text, address)) return { address, length };
    }
    const most = length <= 4096 ? length * 3 : byteLength(text);
    const address = this.take(most);
    const written = this.module.write(text, address, most);
    this.giveBack(address, most, written);
    return { address, length: written };
  }

  /** Gives back what was taken last but for its first bytes. */
  private giveBack(address: number, taken: number, kept: number): void {
    this.heapBytes -= taken - kept;
    this.module.u32[(this.base >>> 2) + head.heapAt] = address + (((kept + 23) & ~7) >>> 0);
  }

  /** A fresh entry at the end of the tape, by its index. */
  pushEntry(): number {
    const { u32 } = this.module;
    const words = this.base >>> 2;
    const count = u32[words + head.entryCount]!;
    if ((count + 1) * entryWords * 4 > u32[words + head.entryPages]! * pageSize) {
      this.module.exports.pushEntry(this.base);
      this.module.refresh();
      return count;
    }
    u32[words + head.entryCount] = count + 1;
    const at = (u32[words + head.entries]! >>> 2) + count * entryWords;
    for (let word = at; word < at + entryWords; word++) u32[word] = 0;
    return count;
  }
}
