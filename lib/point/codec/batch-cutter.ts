// Collects encoded points in one buffer and cuts batches out of it (docs/reference/points.md#batches). Each batch has
// as many points as the options allow, no matter how many points are added at a time.

import type { OutputMemory } from "../../wasm/module.ts";
import type { BatchOptions, EncodedBatch } from "./batches.ts";
import type { Form } from "./encode.ts";

const markWords = 3;

/** Holds encoded points until they fill a batch. */
export class BatchCutter {
  ignored = 0;
  unwritable = 0;
  private readonly isJson: boolean;
  private readonly isLine: boolean;
  /** Number of separator bytes between two points: 1 for a comma or a newline, 0 for protobuf. */
  private readonly between: number;
  private readonly options: BatchOptions;
  /**
   * The encoded points. The byte at index 0 is kept free for an opening bracket. One byte for a bracket, comma or
   * newline follows each point in JSON or line protocol; protobuf messages follow one another directly.
   */
  private bytes: Uint8Array<ArrayBuffer>;
  /** Index after the last byte that was written to `bytes`. */
  private at = 1;
  /**
   * Three numbers for each point: the index of its end in `bytes`, its length in bytes, and its size for the limit
   * of a batch, which may be an estimate.
   */
  private marks: Uint32Array<ArrayBuffer>;
  /** Number of encoded points in the buffer. */
  private count = 0;
  /** Index of the first point in the buffer that is not in a batch yet. */
  private first = 0;
  /**
   * Index after the last point that is known to fit into the next batch. The next batch begins with the point
   * `first`; `sum` is the size of its points from `first` up to `seen` (exclusive).
   */
  private seen = 0;
  private sum = 0;

  /** Makes a cutter. The cutter uses `memory` as its buffer and overwrites the contents of this memory. */
  constructor(form: Form, options: BatchOptions, memory: OutputMemory) {
    this.bytes = memory.bytes;
    this.marks = memory.marks;
    this.isJson = form === "json" || form === "pbjson";
    this.isLine = form === "lp";
    this.between = this.isJson || this.isLine ? 1 : 0;
    this.options = options;
    this.sum = this.sumOfNone();
  }

  /** Prepares the buffer for a new encoding run. The encoder then passes the bytes of the run to `write`. */
  open(): void {
    this.forgetTaken();
    const isEmpty = this.count === 0;
    // The encoder puts brackets around each JSON list. When a list follows earlier points in the buffer, its opening
    // bracket is written to the place of the comma after these points; `mark` then writes the comma there.
    this.at = this.end() + (isEmpty ? 0 : this.between) - (this.isJson ? 1 : 0);
  }

  /** Appends a chunk of encoded bytes to the buffer. */
  readonly write = (chunk: Uint8Array): void => {
    this.options.written?.(chunk.length);
    // One more byte is needed for the bracket or newline after the last point.
    const needed = this.at + chunk.length + 1;
    if (needed > this.bytes.length) {
      const wider = new Uint8Array(Math.max(needed, 2 * this.bytes.length));
      wider.set(this.bytes.subarray(0, this.at));
      this.bytes = wider;
    }
    this.bytes.set(chunk, this.at);
    this.at += chunk.length;
  };

  /**
   * Records the points that the encoder has just written. `written` has two numbers for each point, in order: its
   * length in bytes, and its size for the limit of a batch, which may be an estimate.
   */
  mark(written: Uint32Array): void {
    const needed = this.count * markWords + (written.length / 2) * markWords;
    if (needed > this.marks.length) {
      const wider = new Uint32Array(Math.max(needed, 2 * this.marks.length));
      wider.set(this.marks.subarray(0, this.count * markWords));
      this.marks = wider;
    }
    const { marks, between } = this;
    let end = this.end();
    if (this.count > 0 && between > 0) this.bytes[end] = this.isJson ? 0x2c : 0x0a;
    let at = this.count * markWords;
    for (let i = 0; i < written.length; i += 2) {
      const length = written[i]!;
      // The length 0 means that the encoder left out the point, because line protocol cannot express it. The encoders
      // of other formats never return the length 0.
      if (length === 0) {
        this.unwritable++;
        continue;
      }
      end += (at > 0 ? between : 0) + length;
      marks[at] = end;
      marks[at + 1] = length;
      marks[at + 2] = written[i + 1]!;
      at += markWords;
    }
    this.count = at / markWords;
  }

  /** Returns the memory of the buffer, which may have grown, and empties the cutter. */
  close(): OutputMemory {
    const memory = { bytes: this.bytes, marks: this.marks };
    this.bytes = new Uint8Array(0);
    this.marks = new Uint32Array(0);
    this.count = 0;
    this.goOnAt(0);
    return memory;
  }

  /**
   * Yields the batches that are full; when `end` is true, also a last batch of the remaining points. The bytes of a
   * batch are valid until the next batch is requested.
   */
  *batches(end: boolean): Iterable<EncodedBatch> {
    while (this.first < this.count) {
      const to = this.cut(end);
      if (to === null) return;
      if (to > this.first) yield* this.take(to);
    }
  }

  private end(): number {
    return this.count === 0 ? 1 : this.endOf(this.count - 1);
  }

  /**
   * Moves the points that are not in a batch yet to the front of the buffer. Does nothing while more than half of the
   * points in the buffer are not in a batch.
   */
  private forgetTaken(): void {
    if (this.first * 2 < this.count || this.first === 0) return;
    const start = this.first < this.count ? this.startOf(this.first) : this.end();
    this.bytes.copyWithin(1, start, this.end());
    this.marks.copyWithin(0, this.first * markWords, this.count * markWords);
    this.count -= this.first;
    for (let at = 0; at < this.count * markWords; at += markWords) this.marks[at]! -= start - 1;
    this.seen -= this.first;
    this.first = 0;
  }

  private endOf(point: number): number {
    return this.marks[point * markWords]!;
  }

  private lengthOf(point: number): number {
    return this.marks[point * markWords + 1]!;
  }

  private sizeOf(point: number): number {
    return this.marks[point * markWords + 2]!;
  }

  private startOf(point: number): number {
    return this.endOf(point) - this.lengthOf(point);
  }

  /**
   * Returns the index after the last point of the next batch; null when the batch has room for more points. A point
   * that is larger than the option `bufferBytes` is left out, or becomes a batch of its own.
   */
  private cut(end: boolean): number | null {
    const { maxPoints = 0, maxBytes = 0, bufferBytes = 0 } = this.options;
    const { count } = this;
    if (bufferBytes > 0) return this.between > 0 ? this.cutText(end, bufferBytes) : this.cutMessages(end, bufferBytes);
    if (maxBytes > 0) {
      while (this.seen < count) {
        this.sum += this.sizeOf(this.seen++);
        if (this.sum >= maxBytes) return this.seen;
      }
    } else if (maxPoints > 0 && count - this.first >= maxPoints) return this.first + maxPoints;
    return end ? count : null;
  }

  /** Adds points to the batch while their text, separators and brackets together have at most `most` bytes. */
  private cutText(end: boolean, most: number): number | null {
    for (; this.seen < this.count; this.seen++) {
      const length = this.sum + this.lengthOf(this.seen) + 1;
      if (length <= most) this.sum = length;
      else return this.seen > this.first ? this.seen : this.leaveOut(length, most);
    }
    return end ? this.count : null;
  }

  /**
   * Adds protobuf messages to the batch as long as the sum of their sizes is within the limit `most`; these sizes are
   * estimates. When the actual messages exceed the limit, removes the last points again (1, then 2, then 4 and so on)
   * until they fit.
   */
  private cutMessages(end: boolean, most: number): number | null {
    const { count } = this;
    let { seen: to, sum } = this;
    for (let size: number; to < count && sum + (size = this.sizeOf(to)) <= most; to++) sum += size;
    this.seen = to;
    this.sum = sum;
    if (to === this.first) return this.leaveOut(this.sizeOf(to), most);
    if (to === count && !end) return null;
    for (let step = 1; this.length(to) >= most; step *= 2) {
      if (to === this.first + 1) return this.leaveOut(this.length(to) + 1, most);
      to = Math.max(this.first + 1, to - step);
    }
    return to;
  }

  /** Returns the number of bytes of the points from `first` to `to`. */
  private length(to: number): number {
    return this.endOf(to - 1) - this.startOf(this.first);
  }

  /**
   * Returns the size of a batch that has no points yet, with which `sum` starts. For a JSON list whose size the
   * option `bufferBytes` limits, this size is 1, the byte of the opening bracket; each point then adds its own
   * bytes and one byte for the comma or closing bracket after it. In all other cases the size is 0.
   */
  private sumOfNone(): number {
    return this.isJson && (this.options.bufferBytes ?? 0) > 0 ? 1 : 0;
  }

  private leaveOut(need: number, most: number): number {
    if (this.options.largeAlone === true) return this.first + 1;
    if (this.options.ignoreLarge !== true) {
      const numbers = this.isLine ? "" : `: need at least ${need} bytes, only ${most} available`;
      throw new RangeError(`too small buffer${numbers}`);
    }
    this.ignored++;
    return this.goOnAt(this.first + 1);
  }

  private goOnAt(point: number): number {
    this.first = point;
    this.seen = point;
    this.sum = this.sumOfNone();
    return point;
  }

  /** Yields a batch: writes brackets or a newline around its points, and afterwards restores the overwritten bytes. */
  private *take(to: number): Iterable<EncodedBatch> {
    const { bytes } = this;
    const points = to - this.first;
    const endsWithNewline = this.isLine && (this.options.bufferBytes ?? 0) > 0;
    const start = this.startOf(this.first) - (this.isJson ? 1 : 0);
    const end = this.endOf(to - 1) + (this.isJson || endsWithNewline ? 1 : 0);
    const before = bytes[start]!;
    const behind = bytes[end - 1]!;
    this.goOnAt(to);
    if (this.isJson) {
      bytes[start] = 0x5b;
      bytes[end - 1] = 0x5d;
    } else if (endsWithNewline) bytes[end - 1] = 0x0a;
    yield { bytes: bytes.subarray(start, end), points };
    bytes[start] = before;
    bytes[end - 1] = behind;
  }
}
