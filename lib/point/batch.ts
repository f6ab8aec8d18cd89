// A batch: the points of one decoded body, lying in the module's memory. It owns body, tape, edits and heap from `decode` to
// `release`; nothing points into it except through it (architecture, rules of memory 1 to 3).

import type { WasmModule } from "../wasm/module.ts";
import { scratchSize } from "../wasm/module.ts";
import { Cursor } from "./cursor.ts";
import { type Corrected, requiredWarning, warningsOf } from "./notes.ts";
import { Point } from "./point.ts";
import {
  entryWords,
  head,
  key as keyLayout,
  keyWords,
  point as pointLayout,
  pointNoted,
  pointRequired,
  pointWords,
} from "./tape.ts";
import type { PointValue } from "./value.ts";
import type { Key, PointView, Warning } from "./view.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What the points of one decode can be asked, wherever they lie. */
export interface PointBatch extends Iterable<PointView> {
  readonly length: number;
  /** The point at `index` to read and change: one object that is moved, valid until the next `at`. */
  at(index: number): PointView;
  /** A copy that lives in JavaScript and outlasts the batch. */
  point(index: number): Point;
  /** The corrections that were made to it. */
  warnings(index: number): readonly Warning[];
  /** Gives the memory back; nothing of the batch may be used afterwards. */
  release(): void;
}

const none: readonly Warning[] = [];

export class Batch implements PointBatch {
  readonly length: number;
  readonly module: WasmModule;
  /** Address of the head. */
  readonly base: number;
  /** Counts up when the memory is given back: slices made before are stale then. */
  generation = 0;
  /** Values that have no form on the tape: arrays and binaries once read or set. */
  readonly side: PointValue[] = [];
  private readonly corrected: Corrected;
  /** Whether the memory goes to the next window of the body rather than back. */
  private readonly isWindow: boolean;
  private readonly keyTexts: (string | undefined)[] = [];
  private readonly cursor: Cursor;
  private asciiText: string | null = null;

  constructor(module: WasmModule, base: number, corrected: Corrected, isWindow = false) {
    this.module = module;
    this.base = base;
    this.corrected = corrected;
    this.isWindow = isWindow;
    this.length = this.head(head.pointCount);
    this.cursor = new Cursor(this);
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

  warnings(index: number): readonly Warning[] {
    const flags = this.module.u32[this.pointAt(index) + pointLayout.flags]!;
    if (flags === 0) return none;
    const appended = (flags & pointRequired) !== 0 ? requiredWarning(this.corrected.rules) : none;
    return (flags & pointNoted) === 0 ? appended : [...warningsOf(this, index, this.corrected), ...appended];
  }

  release(): void {
    if (this.generation > 0) return;
    this.generation++;
    if (!this.isWindow) this.module.exports.freeBatch(this.base);
  }

  // What follows is for `lib/point` only. Addresses of points and entries are indexes into `module.u32`.

  head(word: number): number {
    if (this.generation > 0) throw new Error("the batch has been released");
    return this.module.u32[(this.base >>> 2) + word]!;
  }

  pointAt(index: number): number {
    return (this.head(head.points) >>> 2) + index * pointWords;
  }

  entryAt(index: number): number {
    return (this.module.u32[(this.base >>> 2) + head.entries]! >>> 2) + index * entryWords;
  }

  /** The id of a key in this batch; asked once for each Key, which then remembers it. */
  resolve(key: Key): number {
    key.id = this.intern(key.text);
    key.batch = this;
    return key.id;
  }

  intern(text: string): number {
    const { module } = this;
    let { scratch } = module;
    let length: number;
    if (text.length * 3 <= scratchSize) {
      length = encoder.encodeInto(text, module.u8.subarray(scratch, scratch + scratchSize)).written;
    } else {
      const bytes = encoder.encode(text);
      length = bytes.length;
      scratch = this.write(bytes);
    }
    const id = module.exports.internCopy(this.base, scratch, length);
    module.refresh();
    return id;
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

  /** Text at an address; ASCII bodies are decoded once and sliced, so who keeps the text keeps the body's. */
  decode(address: number, length: number): string {
    const body = this.head(head.body);
    if (this.head(head.ascii) === 1 && address >= body && address + length <= body + this.head(head.length)) {
      this.asciiText ??= decoder.decode(this.bytes(body, this.head(head.length)));
      return this.asciiText.slice(address - body, address - body + length);
    }
    return decoder.decode(this.bytes(address, length));
  }

  /** Whether text at this address is known to be ASCII. */
  isAscii(address: number): boolean {
    const body = this.head(head.body);
    return this.head(head.ascii) === 1 && address >= body && address <= body + this.head(head.length);
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
    const address = this.module.exports.heapTake(this.base, length);
    this.module.refresh();
    return address >>> 0;
  }

  /** Puts text on the heap; gives address and length in bytes. */
  writeText(text: string): { address: number; length: number } {
    if (text.length <= 4096) {
      const address = this.take(text.length * 3);
      const { written } = encoder.encodeInto(text, this.module.u8.subarray(address, address + text.length * 3));
      return { address, length: written };
    }
    const bytes = encoder.encode(text);
    return { address: this.write(bytes), length: bytes.length };
  }

  /** A fresh entry at the end of the tape, by its index. */
  pushEntry(): number {
    this.module.exports.pushEntry(this.base);
    this.module.refresh();
    return this.head(head.entryCount) - 1;
  }
}
