// Points to bytes in batches of bounded size (points document, section 15): so many points, so many bytes, or what fits a buffer. Each point is
// encoded once; the batches are cut out of the bytes.

import type { WasmModule } from "../../wasm/module.ts";
import { type Encodable, encoding, type Form, rangesOf, type TapeRange } from "./encode.ts";

export interface BatchOptions {
  /** Points of a batch at most; 0 or absent: any number. */
  readonly maxPoints?: number;
  /** A batch is closed as soon as the sizes of its points reach so many bytes, so it may have more; wins over `maxPoints`. */
  readonly maxBytes?: number;
  /** Bytes of a buffer that each batch must fit as it is written; wins over the other two. */
  readonly bufferBytes?: number;
  /** A point that is larger than the buffer is left out and counted; else it is a `RangeError`. */
  readonly ignoreLarge?: boolean;
  /** The size of a point is that of its protobuf message; absent or false: an estimate. */
  readonly exactSizes?: boolean;
  /** Unit of the times in line protocol, as in `EncodeOptions`. */
  readonly precision?: string;
}

export interface EncodedBatch {
  /** The points in the form, complete and in a buffer of their own. With `bufferBytes` a newline follows every line. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How many points they are, at least 1. */
  readonly points: number;
}

/** Batches in the order of the points, made as they are asked for; to be walked once. */
export interface EncodedBatches extends Iterable<EncodedBatch> {
  /** Points left out so far because they are larger than the buffer. */
  readonly ignored: number;
  /** Points left out so far because line protocol cannot say them. */
  readonly unwritable: number;
}

/** Points that are encoded at a time. */
const windowPoints = 2048;

export function encodeBatches(
  module: WasmModule,
  points: Encodable,
  form: Form,
  options: BatchOptions = {},
): EncodedBatches {
  const cutter = new Cutter(form, options);
  return {
    get ignored() {
      return cutter.ignored;
    },
    get unwritable() {
      return cutter.unwritable;
    },
    *[Symbol.iterator]() {
      for (const range of rangesOf(module, points, {})) {
        for (let from = range.from; from < range.to; from += windowPoints) {
          const to = Math.min(range.to, from + windowPoints);
          cutter.add(...encodeMarked(module, { batch: range.batch, from, to }, form, options));
          yield* cutter.batches(false);
        }
      }
      yield* cutter.batches(true);
    },
  };
}

/** The bytes of a range, and for each point how many it got and what it counts for. */
function encodeMarked(
  module: WasmModule,
  { batch, from, to }: TapeRange,
  form: Form,
  { precision, exactSizes = false }: BatchOptions,
): [bytes: Uint8Array, marks: Uint32Array] {
  const chunks: Uint8Array[] = [];
  let marks = new Uint32Array(0);
  batch.layWarnings();
  const address = module.buffer((to - from) * 8);
  encoding(
    module,
    form,
    (chunk) => chunks.push(chunk.slice()),
    precision,
    () => {
      module.exports.encodeMarked(batch.base, from, to, address, exactSizes ? 1 : 0);
      module.refresh();
      marks = module.u32.slice(address >>> 2, (address >>> 2) + (to - from) * 2);
    },
  );
  return [joined(chunks), marks];
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Holds encoded points until a batch of them is full. */
class Cutter {
  ignored = 0;
  unwritable = 0;
  private readonly isJson: boolean;
  private readonly isLine: boolean;
  /** What stands behind each point; 0 = nothing. */
  private readonly separator: number;
  private readonly options: BatchOptions;
  /** Encoded points one after the other, one byte between two unless they are protobuf, and one before and behind all. */
  private bytes: Uint8Array<ArrayBuffer> = new Uint8Array(2);
  private ends: number[] = [];
  private lengths: number[] = [];
  private sizes: number[] = [];
  /** The first point that is not in a batch yet. */
  private first = 0;

  constructor(form: Form, options: BatchOptions) {
    this.isJson = form === "json" || form === "pbjson";
    this.isLine = form === "lp";
    this.separator = this.isJson ? 0x2c : this.isLine ? 0x0a : 0;
    this.options = options;
  }

  add(encoded: Uint8Array, marks: Uint32Array): void {
    const between = this.isJson || this.isLine ? 1 : 0;
    const inside = this.isJson ? encoded.subarray(1, encoded.length - 1) : encoded;
    this.reserve(between + inside.length + 1);
    let end = this.ends.at(-1) ?? 1;
    this.bytes.set(inside, this.ends.length > 0 ? end + between : end);
    for (let i = 0; i < marks.length; i += 2) {
      const length = marks[i]!;
      // A message of protobuf has at least its tag, so only line protocol leaves points out.
      if (length === 0) {
        this.unwritable++;
        continue;
      }
      end += (this.ends.length > 0 ? between : 0) + length;
      this.ends.push(end);
      this.lengths.push(length);
      this.sizes.push(marks[i + 1]!);
      if (between > 0) this.bytes[end] = this.separator;
    }
  }

  /** Makes room behind the points that are held; drops those that are in a batch. */
  private reserve(more: number): void {
    const isEmpty = this.first === this.ends.length;
    const end = this.ends.at(-1) ?? 1;
    if (!isEmpty && end + more <= this.bytes.length) return;
    const start = isEmpty ? end : this.ends[this.first]! - this.lengths[this.first]!;
    const held = this.bytes.subarray(start, end);
    if (1 + held.length + more > this.bytes.length || held.length > 0) {
      this.bytes = new Uint8Array(2 * (1 + held.length + more));
      this.bytes.set(held, 1);
    }
    this.ends = this.ends.slice(this.first).map((at) => at - start + 1);
    this.lengths = this.lengths.slice(this.first);
    this.sizes = this.sizes.slice(this.first);
    this.first = 0;
    if (this.separator !== 0) for (const at of this.ends) this.bytes[at] = this.separator;
  }

  /** The batches that are full; at the `end` of the points the rest too. */
  *batches(end: boolean): Iterable<EncodedBatch> {
    while (this.first < this.ends.length) {
      const to = this.cut(end);
      if (to === null) return;
      if (to > this.first) yield this.take(to);
    }
  }

  /** Behind the last point of the next batch; null when more points may go into it. Leaves out a point that no buffer holds. */
  private cut(end: boolean): number | null {
    const { maxPoints = 0, maxBytes = 0, bufferBytes = 0 } = this.options;
    if (bufferBytes > 0)
      return this.isLine || this.isJson ? this.cutText(end, bufferBytes) : this.cutMessages(end, bufferBytes);
    const count = this.ends.length;
    if (maxBytes > 0) {
      let sum = 0;
      for (let i = this.first; i < count; i++) {
        sum += this.sizes[i]!;
        if (sum >= maxBytes) return i + 1;
      }
    } else if (maxPoints > 0 && count - this.first >= maxPoints) return this.first + maxPoints;
    return end ? count : null;
  }

  /** While text, separators and brackets fit. */
  private cutText(end: boolean, most: number): number | null {
    let length = this.isJson ? 1 : 0;
    for (let i = this.first; i < this.ends.length; i++) {
      length += this.lengths[i]! + 1;
      if (length <= most) continue;
      if (i > this.first) return i;
      return this.leaveOut(length, most);
    }
    return end ? this.ends.length : null;
  }

  /** While the sizes fit; then trailing points go, 1, 2, 4 and so on, until the messages are shorter than the buffer. */
  private cutMessages(end: boolean, most: number): number | null {
    let to = this.first;
    for (let sum = 0; to < this.ends.length; to++) {
      sum += this.sizes[to]!;
      if (sum > most) break;
    }
    if (to === this.first) return this.leaveOut(this.sizes[to]!, most);
    if (to === this.ends.length && !end) return null;
    for (let step = 1; this.length(to) >= most; step *= 2) {
      if (to === this.first + 1) return this.leaveOut(this.length(to) + 1, most);
      to = Math.max(this.first + 1, to - step);
    }
    return to;
  }

  /** Bytes of the points from the first one to `to`. */
  private length(to: number): number {
    return this.ends[to - 1]! - this.ends[this.first]! + this.lengths[this.first]!;
  }

  private leaveOut(need: number, most: number): number {
    if (this.options.ignoreLarge !== true) {
      const numbers = this.isLine ? "" : `: need at least ${need} bytes, only ${most} available`;
      throw new RangeError(`too small buffer${numbers}`);
    }
    this.ignored++;
    this.first++;
    return this.first;
  }

  private take(to: number): EncodedBatch {
    const start = this.ends[this.first]! - this.lengths[this.first]!;
    const end = this.ends[to - 1]!;
    const points = to - this.first;
    this.first = to;
    if (this.isJson) {
      const bytes = this.bytes.slice(start - 1, end + 1);
      bytes[0] = 0x5b;
      bytes[bytes.length - 1] = 0x5d;
      return { bytes, points };
    }
    const hasNewline = this.isLine && (this.options.bufferBytes ?? 0) > 0;
    return { bytes: this.bytes.slice(start, hasNewline ? end + 1 : end), points };
  }
}
