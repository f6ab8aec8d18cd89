// A batch: the points of one decoded body in the memory of the WebAssembly module. From `decode` to `release`,
// the batch owns the body, the tape (the binary form in which WebAssembly stores the points), all changes of the
// points, and the heap, which contains strings that are not in the body. Other code reads this memory only
// through the batch (docs/decisions/tape.md).

import { describeArgument, requireString } from "../../text/argument.ts";
import { disposeSymbol } from "../../text/dispose.ts";
import { byteLength } from "../../text/utf8.ts";
import type { WasmModule } from "../../wasm/module.ts";
import { pageSize, scratchSize, shortText } from "../../wasm/module.ts";
import {
  entryWords,
  head,
  key as keyLayout,
  keyWords,
  point as pointLayout,
  pointNoted,
  pointRequired,
  pointWarned,
  pointWords,
  traitsBytes,
  traits as traitsLayout,
  warning as warningLayout,
  warningWords,
} from "../../wasm/tape.ts";
import { Point, requireKey } from "../point.ts";
import type { EntryTraits, Key, Literal, PointSeries, PointView, Warning } from "../view.ts";
import { correctChanged } from "./correct-changed.ts";
import { Cursor } from "./cursor.ts";
import { nameAt } from "./known-names.ts";
import { notedPoints, requiredWarning, warningsOf } from "./notes.ts";
import { requireIndexes, Selection } from "./selection.ts";
import type { Corrected } from "./settings.ts";

const encoder = new TextEncoder();
/**
 * Two lengths in bytes. A long body is decoded to JavaScript strings part by part; `pieceBytes` is the length of
 * such a part. A part begins `bytesBefore` bytes before the string that a caller reads, because most callers
 * also read the start of the same line.
 */
const pieceBytes = 64 * 1024;
const bytesBefore = 4096;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The points of one decoded body, whether they are stored in WebAssembly or in JavaScript. */
export interface PointBatch extends PointSeries {
  /** Returns a copy of a point as a JavaScript object, which remains valid after the batch is released. */
  point(index: number): Point;
  /** Adds the tag to every point that has neither a tag nor a field with the same key. */
  addTag(key: Key, value: string): void;
  /**
   * Returns the indexes of the points that have a field; undefined when every point has a field. A point without a
   * field cannot be stored.
   */
  withField(): readonly number[] | undefined;
  /** Returns the warnings about the corrections that were made to a point. */
  warnings(index: number): readonly Warning[];
  /** Corrects the point again after it was changed, and adds the new corrections to the point's warnings. */
  correct(index: number): void;
  /** Frees the memory of the batch. Every later use of the batch throws an Error; a second `release` does nothing. */
  release(): void;
  /** Releases the batch at the end of its block: `using points = mill.decodePoints(body)`. */
  [Symbol.dispose](): void;
}

/**
 * Largest number of different lists of warnings that are remembered. A list that equals a remembered list is not
 * stored again.
 */
const mostLists = 1000;
const none: readonly Warning[] = [];
/**
 * Largest average length of a line, in bytes, for which all lines are decoded into one JavaScript string. For longer
 * lines it is faster to decode only the strings that are read.
 */
const longestSliced = 512;

/**
 * Several batches that the garbage collector watches together, because watching every single batch would take
 * too much time (lib/easy/lost-batches.ts). When all batches of the group were garbage collected, the memory of
 * the batches that were not released is freed.
 */
export interface BatchGroup {
  /** Removes the batch at the given index from the group, because it was released. */
  remove(place: number): void;
}

export class Batch implements PointBatch {
  private count: number;
  readonly module: WasmModule;
  /** Address of the batch's header in the memory of the WebAssembly module. */
  readonly base: number;
  /**
   * Counts how often the memory of the batch was freed (at most once). A slice of this memory is valid only while this
   * count still has the value that it had when the slice was made.
   */
  generation = 0;
  /**
   * The group of batches to which this batch belongs; null when it belongs to none. When this batch is garbage
   * collected without `release`, its memory is freed as soon as all batches of the group were garbage collected.
   */
  group: BatchGroup | null = null;
  /** Index of this batch in its group of batches. */
  placeInGroup = 0;
  /** Whether any tag or field may have a metric type, unit or description. */
  hasTraits = false;
  /** Number of bytes of the batch's heap that are in use. */
  heapBytes = 0;
  /**
   * Address and length of the JSON string that was parsed last, and the address of the index of its members. The
   * index is kept, because scripts read several members of one string. The address of a string never changes, so
   * it shows whether the index belongs to a given string.
   */
  readonly indexed = { address: 0, length: 0, first: 0 };
  /** The rules by which points are corrected; null when points are not corrected. */
  private readonly corrected: Corrected | null;
  /** Whether the batch is one window (part) of a body; `release` then keeps the memory for the next window. */
  private readonly isWindow: boolean;
  /**
   * Warnings of the points that JavaScript corrected; null while there are none. The warnings of other points are still
   * short records on the tape (the binary form of points), which WebAssembly wrote.
   */
  private warningTable: Map<number, readonly Warning[]> | null = null;
  private notesLaid = false;
  /** Indexes of the points whose warnings are not on the tape (binary form of points) yet; null when there are none. */
  private unlaid: Set<number> | null = null;
  private ids: Map<string, number> | null = null;
  private readonly keyTexts: (string | undefined)[] = [];
  private readonly cursor: Cursor;
  /**
   * Start address and end address of the lines of this batch's points: the whole body, or one window (part) of the
   * body.
   */
  private readonly linesStart: number;
  private readonly linesEnd: number;
  /** Whether the body is ASCII; null before the body was checked. */
  private isAsciiBody: boolean | null = null;
  /**
   * All lines of the body, or some of them, as one JavaScript string from which the strings of points are cut, and the
   * address of the string's first byte.
   */
  private linesText = "";
  private textStart = 0;
  /**
   * Number of bytes of the body that were decoded to the string `linesText` so far. Bytes that were decoded several
   * times count each time.
   */
  private textBytes = 0;

  /**
   * Makes the batch whose header is at address `base`. With `windowStart`, the batch is one window (part) of the body:
   * it has the points of the lines from the address `windowStart` on, and `release` keeps the memory for the next
   * window.
   */
  constructor(module: WasmModule, base: number, corrected: Corrected | null = null, windowStart: number | null = null) {
    this.module = module;
    this.base = base;
    this.corrected = corrected;
    this.isWindow = windowStart !== null;
    this.count = this.head(head.pointCount);
    this.linesStart = windowStart ?? this.head(head.body);
    this.linesEnd = this.isWindow ? this.head(head.nextLine) : this.linesStart + this.head(head.length);
    this.cursor = new Cursor(this);
  }

  /** Makes a batch without points; `add` adds copies of JavaScript points to it. */
  static empty(module: WasmModule, corrected: Corrected | null = null): Batch {
    const base = module.exports.createBatch(0) >>> 0;
    module.refresh();
    return new Batch(module, base, corrected);
  }

  /** Number of points in the batch. */
  get length(): number {
    if (this.generation > 0) this.requireLive();
    return this.count;
  }

  at(index: number): Cursor {
    if (typeof index !== "number" || !(index < this.length) || index >>> 0 !== index) throw this.noPoint(index);
    this.cursor.moveTo(index);
    return this.cursor;
  }

  private noPoint(index: unknown): Error {
    if (typeof index === "number" && Number.isInteger(index))
      return new RangeError(`no point ${index} in a batch of ${this.length}`);
    return new TypeError(`at: index must be a whole number; got ${describeArgument(index)}`);
  }

  /**
   * Yields the points one after the other. Yields the same cursor object each time; the cursor then refers to the
   * next point. So a caller must copy the data that it needs later.
   */
  *[Symbol.iterator](): Iterator<Cursor> {
    for (let index = 0; index < this.length; index++) yield this.at(index);
  }

  point(index: number): Point {
    return Point.copyOf(this.at(index));
  }

  select(indexes: readonly number[]): Selection {
    requireIndexes(indexes, this.length);
    return new Selection(this, indexes);
  }

  addTag(key: Key, value: string): void {
    this.requireLive();
    const id = key?.batch === this ? key.id : this.resolve(key, "addTag");
    requireString("addTag", "value", value);
    const { address, length } = this.lend(value);
    this.module.exports.addTag(this.base, id, address, length);
    this.module.refresh();
    this.cursor.forget();
  }

  withField(): readonly number[] | undefined {
    let next = this.nextFieldless(0);
    if (next === this.count) return undefined;
    const found: number[] = [];
    for (let at = 0; at < this.count; at++) {
      if (at === next) next = this.nextFieldless(at + 1);
      else found.push(at);
    }
    return found;
  }

  private nextFieldless(from: number): number {
    this.requireLive();
    return this.module.exports.findFieldless(this.base, from) >>> 0;
  }

  warnings(index: number): readonly Warning[] {
    if (typeof index !== "number" || !(index < this.length) || index >>> 0 !== index) throw this.noPoint(index);
    const own = this.warningTable?.get(index);
    if (own !== undefined) return own;
    const flags = this.module.u32[this.pointAt(index) + pointLayout.flags]!;
    if ((flags & (pointNoted | pointRequired)) === 0 || this.corrected === null) return none;
    const appended = (flags & pointRequired) !== 0 ? requiredWarning(this.corrected.rules) : none;
    return (flags & pointNoted) === 0 ? appended : [...warningsOf(this, index, this.corrected), ...appended];
  }

  correct(index: number): void {
    if (this.corrected === null) throw new Error("these points were not decoded for a category");
    this.at(index);
    correctChanged(this, index, this.corrected);
  }

  release(): void {
    if (this.generation > 0) return;
    this.generation++;
    this.cursor.forget();
    if (!this.isWindow) this.module.exports.freeBatch(this.base);
    this.group?.remove(this.placeInGroup);
    this.group = null;
  }

  [disposeSymbol](): void {
    this.release();
  }

  // The methods from `requireLive` to the end of the class are only for code in `lib/point`. They identify points and
  // entries (tags and fields) by indexes into `module.u32`, the memory of the WebAssembly module.

  /** Throws an Error when the batch has been released, because its memory must then not be read. */
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

  /**
   * Writes the warnings of all points to the tape (the binary form of points), because the encoders read warnings only
   * there.
   */
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
    // Most points of a body have the same warnings. Equal lists of warnings are stored only once on the heap, so
    // that memory does not grow with the number of points.
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

  /**
   * Writes a record with the metric type, unit and description of a tag or field to the heap. Returns the address of
   * the record.
   */
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

  /** Appends a copy of a point to the batch, including its warnings. */
  add(point: PointView): void {
    const index = this.module.exports.pushPointWith(this.base, [...point.entries()].length);
    this.module.refresh();
    this.count = index + 1;
    this.replace(index, point);
  }

  /**
   * Replaces a point of the batch by a copy of another point, including its warnings. The other point's values may be
   * slices of this batch's memory.
   */
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

  /** Returns the id of a key in this batch. The Key object remembers the id, so that the key is looked up only once. */
  resolve(key: Key, call = "resolve"): number {
    requireKey(call, key);
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
    this.requireLive();
    const { address, length } = this.lend(text);
    const id = this.module.exports.internCopy(this.base, address, length);
    this.module.refresh();
    return id;
  }

  /**
   * Writes a string to temporary memory, where the next call of the WebAssembly module reads it. Returns its address
   * and its length in bytes.
   */
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
    const text = nameAt(this, u32[at + keyLayout.text]!, u32[at + keyLayout.length]!);
    this.keyTexts[id] = text;
    return text;
  }

  /**
   * Returns the string at an address. Strings in short ASCII lines are slices of one string of many lines, so this
   * string stays in memory as long as one of the slices is in use.
   */
  decode(address: number, length: number): string {
    this.requireLive();
    if (!this.isSliced(address) || address + length > this.linesEnd) return decoder.decode(this.bytes(address, length));
    const at = address - this.textStart;
    if (at < 0 || at + length > this.linesText.length) this.decodeLines(address, length);
    return this.linesText.slice(address - this.textStart, address - this.textStart + length);
  }

  /**
   * Decodes lines of the body to the string `linesText`, so that it contains the `length` bytes at `address`.
   * Decodes only a part of a long body, because the garbage collector keeps the string of a whole long body until
   * its next full collection; until then such strings would take about 50 MB. For a caller that does not read the
   * strings in their order, the whole body is decoded, so that the same part is not decoded again and again.
   */
  private decodeLines(address: number, length: number): void {
    const { linesStart, linesEnd } = this;
    const isWhole = linesEnd - linesStart <= pieceBytes || this.textBytes > 4 * (linesEnd - linesStart);
    const start = isWhole ? linesStart : Math.max(linesStart, address - bytesBefore);
    const end = isWhole ? linesEnd : Math.min(linesEnd, Math.max(start + pieceBytes, address + length));
    this.linesText = decoder.decode(this.bytes(start, end - start));
    this.textStart = start;
    this.textBytes += end - start;
  }

  /**
   * Returns whether the string at the given address should be cut out of one JavaScript string that contains all
   * lines. For short lines, cutting is faster than decoding each string. For long lines, cutting is slower,
   * because much text that no caller reads must then be decoded as well.
   */
  isSliced(address: number): boolean {
    return this.linesEnd - this.linesStart <= this.length * longestSliced && this.isAscii(address);
  }

  /** Returns whether the text at the given address is known to be ASCII. The first call checks the whole body. */
  isAscii(address: number): boolean {
    if (address < this.linesStart || address > this.linesEnd) return false;
    this.isAsciiBody ??= (this.head(head.ascii) || this.module.exports.lookForAscii(this.base)) === 1;
    return this.isAsciiBody;
  }

  bytes(address: number, length: number): Uint8Array {
    return this.module.u8.subarray(address, address + length);
  }

  /** Copies bytes to the batch's heap and returns the address of the copy. */
  write(bytes: Uint8Array): number {
    const address = this.take(bytes.length);
    this.module.u8.set(bytes, address);
    return address;
  }

  take(length: number): number {
    this.requireLive();
    this.heapBytes += length;
    const { u32 } = this.module;
    const words = this.base >>> 2;
    const at = u32[words + head.heapAt]!;
    // While the current chunk of the heap has room, JavaScript takes memory from it in the same way as the
    // WebAssembly function `heapTake`, which saves the cost of a call.
    const behind = at + (((length + 23) & ~7) >>> 0);
    if (at !== 0 && behind <= u32[words + head.heapEnd]!) {
      u32[words + head.heapAt] = behind;
      return at;
    }
    const address = this.module.exports.heapTake(this.base, length);
    this.module.refresh();
    return address >>> 0;
  }

  /**
   * Returns the address of a literal (a string constant, for example of a script) on the batch's heap. The first call
   * in a batch writes the literal there.
   */
  placeLiteral(literal: Literal): number {
    if (literal.batch !== this) {
      literal.address = this.write(literal.bytes);
      literal.batch = this;
    }
    return literal.address;
  }

  /** Writes a string to the heap. Returns its address and its length in bytes. */
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

  /**
   * Frees the unused end of the heap memory that was allocated last. The allocation is `taken` bytes long and
   * begins at `address`; its first `kept` bytes stay in use.
   */
  private giveBack(address: number, taken: number, kept: number): void {
    this.heapBytes -= taken - kept;
    this.module.u32[(this.base >>> 2) + head.heapAt] = address + (((kept + 23) & ~7) >>> 0);
  }

  /** Adds a new entry (a tag or field) at the end of the tape (the binary form of points) and returns its index. */
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
