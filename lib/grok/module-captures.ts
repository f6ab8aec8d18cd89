// Reads grok captures in WebAssembly: the WebAssembly module searches the input, trims white space and converts
// values in its own memory, for many lines in one call. This file writes a plan (the list of the fields and
// their types) into the module's memory, and assembly/grok/captures.ts reads the plan.

import { type EncodedText, textFrom } from "../regex/encoded-text.ts";
import type { ModuleEngine } from "../regex/engines/engine.ts";
import {
  FIELD_GROUPS,
  FIELD_NUMBERS,
  FIELD_SIZE,
  FIELD_TYPE,
  P_COUNT,
  P_FIELDS,
  P_GROUPS,
  P_MATCHED,
  P_SLOTS,
  P_SPANS,
  P_VALUES,
  TYPE_BOOL,
  TYPE_FLOAT,
  TYPE_INT,
  TYPE_STRING,
} from "./capture-layout.ts";
import {
  type BatchCaptures,
  type CaptureReader,
  type FieldCaptures,
  type FieldGroups,
  fieldCaptures,
} from "./captures.ts";
import type { FieldType } from "./patterns.ts";

const types: Readonly<Record<FieldType, number>> = {
  string: TYPE_STRING,
  int: TYPE_INT,
  float: TYPE_FLOAT,
  bool: TYPE_BOOL,
};

/**
 * Limits of one call of the WebAssembly module: the number of lines, and the number of bytes that are copied into its
 * memory for these lines.
 */
const MOST_LINES = 512;
const MOST_BYTES = 1 << 20;

/**
 * Length in UTF-16 units up to which a string is encoded directly into the WebAssembly module's memory; a longer
 * string is encoded in JavaScript and then copied.
 */
const SHORT_TEXT = 16_384;

/** Number of bytes that must be readable after a text, because the search loads 16 bytes at a time. */
const PADDING = 16;

const encoder = new TextEncoder();

/**
 * Layout of the working memory for one call of the WebAssembly module, as byte offsets from the start of this memory.
 */
interface Layout {
  readonly matched: number;
  readonly lines: number;
  readonly slots: number;
  readonly spans: number;
  readonly groups: number;
  readonly values: number;
  readonly size: number;
}

export class ModuleCaptures implements CaptureReader {
  readonly last: FieldCaptures;
  private readonly engine: ModuleEngine;
  private readonly fields: readonly FieldGroups[];
  private readonly slots: Int32Array;
  /**
   * The layout of the working memory for calls of the WebAssembly module. At first the memory has room for one line.
   * The memory grows when a call needs room for more lines.
   */
  private layout: Layout;
  private lines = 1;

  constructor(engine: ModuleEngine, fields: readonly FieldGroups[]) {
    this.engine = engine;
    this.fields = fields;
    this.slots = new Int32Array(engine.slots);
    this.last = fieldCaptures(fields.length);
    this.layout = this.layoutFor(1);
  }

  match(input: string | Uint8Array, trim: boolean): EncodedText | null {
    const { module } = this.engine;
    const { slots, spans, groups, values } = this.layout;
    let [address, length] = [0, input.length];
    const inside = typeof input !== "string" && input.buffer === module.exports.memory.buffer;
    if (inside) address = input.byteOffset;
    // The method `open` may move the WebAssembly memory, which makes older JavaScript views of it invalid. So this code
    // takes views of the memory only after the call of `open`.
    const work = this.open(1);
    if (typeof input !== "string") {
      if (!inside) address = this.copyIn(input);
    } else if (length <= SHORT_TEXT) {
      address = module.buffer(SHORT_TEXT * 3 + PADDING);
      length = encoder.encodeInto(input, module.u8.subarray(address, address + length * 3)).written;
    } else {
      const bytes = encoder.encode(input);
      length = bytes.length;
      address = this.copyIn(bytes);
    }
    if (!this.engine.exec(module.u8.subarray(address, address + length), 0, length, 0, this.slots)) return null;
    module.i32.set(this.slots, (work + slots) >> 2);
    module.exports.convertCaptures(work, address, work + slots, 1, trim ? 1 : 0, 0);
    const { i32 } = module;
    const { last } = this;
    const [spansAt, wordsAt, groupsAt] = [(work + spans) >> 2, (work + values) >> 2, (work + groups) >> 2];
    for (let i = 0; i < 2 * this.fields.length; i++) {
      last.spans[i] = i32[spansAt + i] as number;
      last.words[i] = i32[wordsAt + i] as number;
    }
    for (let i = 0; i < this.fields.length; i++) last.groups[i] = i32[groupsAt + i] as number;
    return textFrom(module.u8.subarray(address, address + length), typeof input === "string" ? input.length : length);
  }

  matchLines(bytes: Uint8Array, lines: Uint32Array, trim: boolean, into: BatchCaptures): void {
    const { module } = this.engine;
    const { byteOffset } = bytes;
    const inside = bytes.buffer === module.exports.memory.buffer;
    const total = lines.length >> 1;
    for (let first = 0; first < total; ) {
      let low = lines[2 * first] as number;
      let high = lines[2 * first + 1] as number;
      let count = 1;
      for (; count < MOST_LINES && first + count < total; count++) {
        const start = Math.min(low, lines[2 * (first + count)] as number);
        const end = Math.max(high, lines[2 * (first + count) + 1] as number);
        if (end - start > MOST_BYTES) break;
        low = start;
        high = end;
      }
      const work = this.open(MOST_LINES);
      const { layout } = this;
      const base = inside ? byteOffset + low : this.copyIn(bytes.subarray(low, high));
      const bounds = (work + layout.lines) >> 2;
      for (let i = 0; i < 2 * count; i++) module.i32[bounds + i] = (lines[2 * first + i] as number) - low;
      this.engine.execLines(base, work + layout.lines, count, work + layout.slots);
      module.exports.convertCaptures(work, base, work + layout.slots, count, trim ? 1 : 0, low);
      this.copyOut(work, first, count, into);
      first += count;
    }
  }

  private copyOut(work: number, first: number, count: number, { matched, offsets, floats }: BatchCaptures): void {
    const { u8, i32, f64 } = this.engine.module;
    const { layout } = this;
    const width = this.fields.length;
    const [matchedAt, spansAt, valuesAt] = [
      work + layout.matched,
      (work + layout.spans) >> 2,
      (work + layout.values) >> 3,
    ];
    matched.set(u8.subarray(matchedAt, matchedAt + count), first);
    offsets.set(i32.subarray(spansAt, spansAt + 2 * count * width), 2 * first * width);
    // The value of an int field is an int64 whose bits are stored as a double. Copying from one Float64Array to another
    // keeps the bits.
    floats.set(f64.subarray(valuesAt, valuesAt + count * width), first * width);
  }

  private copyIn(bytes: Uint8Array): number {
    const { module } = this.engine;
    const address = module.buffer(bytes.length + PADDING);
    module.u8.set(bytes, address);
    return address;
  }

  /**
   * Returns the address of the working memory, which holds the plan (the list of fields for the WebAssembly module) and
   * has room for the results of `lines` lines. The call may move the WebAssembly memory.
   */
  private open(lines: number): number {
    if (lines > this.lines) {
      this.lines = lines;
      this.layout = this.layoutFor(lines);
    }
    const { layout } = this;
    return this.engine.module.workspace(layout.size, layout, (address) => this.prepare(address));
  }

  private layoutFor(lines: number): Layout {
    const { fields, slots } = this;
    const numbers = fields.reduce((sum, { groups }) => sum + groups.length, 0);
    let size = 0;
    const take = (bytes: number): number => {
      const at = size;
      size += (bytes + 15) & ~15;
      return at;
    };
    take(P_FIELDS + FIELD_SIZE * fields.length + 4 * numbers);
    const its = {
      matched: take(lines),
      lines: take(8 * lines),
      slots: take(4 * slots.length * lines),
      spans: take(8 * fields.length * lines),
      groups: take(4 * fields.length * lines),
      values: take(8 * fields.length * lines),
    };
    return { ...its, size };
  }

  private prepare(address: number): void {
    const { layout, fields, slots } = this;
    const { i32 } = this.engine.module;
    i32[(address + P_MATCHED) >> 2] = address + layout.matched;
    i32[(address + P_SPANS) >> 2] = address + layout.spans;
    i32[(address + P_VALUES) >> 2] = address + layout.values;
    i32[(address + P_GROUPS) >> 2] = address + layout.groups;
    i32[(address + P_SLOTS) >> 2] = slots.length;
    i32[(address + P_COUNT) >> 2] = fields.length;
    const first = address + P_FIELDS;
    let numbers = first + FIELD_SIZE * fields.length;
    fields.forEach(({ type, groups }, index) => {
      const field = first + FIELD_SIZE * index;
      i32[(field + FIELD_TYPE) >> 2] = types[type];
      i32[(field + FIELD_GROUPS) >> 2] = groups.length;
      i32[(field + FIELD_NUMBERS) >> 2] = numbers;
      i32.set(groups, numbers >> 2);
      numbers += 4 * groups.length;
    });
  }
}
