// Points to bytes in batches of bounded size (docs/reference/points.md#batches): so many points, so many bytes, or what fits a buffer. Each point is
// encoded once; the batches are cut out of the bytes.

import type { WasmModule } from "../../wasm/module.ts";
import { BatchCutter } from "./batch-cutter.ts";
import { type Encodable, encoding, type Form, type LineOptions, rangesOf, type TapeRange } from "./encode.ts";

export interface BatchOptions extends LineOptions {
  /** Points of a batch at most; 0 or absent: any number. */
  readonly maxPoints?: number;
  /** A batch is closed as soon as the sizes of its points reach so many bytes, so it may have more; wins over `maxPoints`. */
  readonly maxBytes?: number;
  /** Bytes of a buffer that each batch must fit as it is written; wins over the other two. */
  readonly bufferBytes?: number;
  /** A point that is larger than the buffer is left out and counted; else it is a `RangeError`. */
  readonly ignoreLarge?: boolean;
  /** A point that is larger than the buffer is a batch of its own, larger than the buffer; wins over `ignoreLarge`. */
  readonly largeAlone?: boolean;
  /** Is called with the bytes of each piece of output before they are held; an error that it throws ends the encoding. */
  readonly written?: (bytes: number) => void;
  /** The size of a point is that of its protobuf message; absent or false: an estimate. */
  readonly exactSizes?: boolean;
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

/** Puts points together to batches as they come. */
export interface Batcher {
  /** The batches that these points fill. They are encoded before it returns: what they lie in may be released then. */
  add(points: Encodable): EncodedBatch[];
  /** The batch of the points that are left, if any. Nothing may be added afterwards. */
  end(): EncodedBatch[];
  /** `add` without copies: the bytes of a batch are good until `take` returns. Without points: `end`. */
  each(points: Encodable | undefined, take: (batch: EncodedBatch) => void): void;
  /** Points left out so far because they are larger than the buffer. */
  readonly ignored: number;
  /** Points left out so far because line protocol cannot say them. */
  readonly unwritable: number;
}

/** Points that are encoded at a time. */
const windowPoints = 2048;

export function createBatcher(module: WasmModule, form: Form, options: BatchOptions = {}): Batcher {
  const cutter = new BatchCutter(form, options, module.takeOutput());
  const batches = function* (points: Encodable | undefined): Iterable<EncodedBatch> {
    if (points !== undefined) return yield* batchesOf(module, points, form, options, cutter);
    yield* cutter.batches(true);
    module.giveOutput(cutter.close());
  };
  return {
    add: (points) => Array.from(batches(points), copied),
    end: () => Array.from(batches(undefined), copied),
    each: (points, take) => {
      for (const batch of batches(points)) take(batch);
    },
    get ignored() {
      return cutter.ignored;
    },
    get unwritable() {
      return cutter.unwritable;
    },
  };
}

export function encodeBatches(
  module: WasmModule,
  points: Encodable,
  form: Form,
  options: BatchOptions = {},
): EncodedBatches {
  const cutter = new BatchCutter(form, options, module.takeOutput());
  return {
    get ignored() {
      return cutter.ignored;
    },
    get unwritable() {
      return cutter.unwritable;
    },
    *[Symbol.iterator]() {
      for (const batch of batchesOf(module, points, form, options, cutter)) yield copied(batch);
      for (const batch of cutter.batches(true)) yield copied(batch);
      module.giveOutput(cutter.close());
    },
  };
}

const copied = ({ bytes, points }: EncodedBatch): EncodedBatch => ({ bytes: bytes.slice(), points });

/** Encodes the points and gives the batches that they fill, whose bytes are good until the next one is asked for. */
function* batchesOf(
  module: WasmModule,
  points: Encodable,
  form: Form,
  options: BatchOptions,
  cutter: BatchCutter,
): Iterable<EncodedBatch> {
  const sizes = sizesNeeded(form, options);
  const ranges = shortRanges(rangesOf(module, points, {}));
  try {
    for (let next = ranges.next(); next.done !== true; ) {
      const marks: Uint32Array[] = [];
      cutter.open();
      encoding(module, form, cutter.write, options, () => {
        // A range may lie on a tape that is good until the next one is asked for.
        for (let room = windowPoints; next.done !== true && lengthOf(next.value) <= room; next = ranges.next()) {
          room -= lengthOf(next.value);
          marks.push(encodeMarked(module, next.value, sizes));
        }
      });
      for (const each of marks) cutter.mark(each);
      yield* cutter.batches(false);
    }
  } finally {
    ranges.return();
  }
}

const lengthOf = ({ from, to }: TapeRange): number => to - from;

/** None longer than what is encoded at a time. */
function* shortRanges(ranges: Iterable<TapeRange>): Generator<TapeRange, void> {
  for (const { batch, from: first, to: end } of ranges) {
    for (let from = first; from < end; from += windowPoints) {
      yield { batch, from, to: Math.min(end, from + windowPoints) };
    }
  }
}

// What a point counts for: an estimate, the length of its protobuf message, or nothing that anybody asks for.
const estimatedSizes = 0;
const exactSizes = 1;
const noSizes = 2;

function sizesNeeded(form: Form, { exactSizes: areExact, maxBytes = 0, bufferBytes = 0 }: BatchOptions): number {
  const isNeeded = bufferBytes > 0 ? form === "pb" : maxBytes > 0;
  if (!isNeeded) return noSizes;
  return areExact === true ? exactSizes : estimatedSizes;
}

/** Encodes a range; gives two numbers for each of its points: how many bytes it got and what it counts for. */
function encodeMarked(module: WasmModule, { batch, from, to }: TapeRange, sizes: number): Uint32Array {
  batch.layWarnings();
  const address = module.buffer((to - from) * 8);
  module.exports.encodeMarked(batch.base, from, to, address, sizes);
  module.refresh();
  return module.u32.slice(address >>> 2, (address >>> 2) + (to - from) * 2);
}
