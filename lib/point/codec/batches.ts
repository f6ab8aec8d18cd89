// Encodes points in batches of limited size (docs/reference/points.md#batches). The limit is a number of points, a
// number of bytes, or the size of a buffer. Each point is encoded only once; the batches are then cut out of the
// encoded bytes.

import type { WasmModule } from "../../wasm/module.ts";
import { BatchCutter } from "./batch-cutter.ts";
import { type Encodable, encoding, type Form, type LineOptions, rangesOf, type TapeRange } from "./encode.ts";

/** Options that limit the size of batches. */
export interface BatchOptions extends LineOptions {
  /** Largest number of points in a batch; 0 or absent means no limit. */
  readonly maxPoints?: number;
  /**
   * A batch is closed as soon as the sizes of its points together reach this number of bytes, so a batch may be larger
   * than this number. The option takes precedence over `maxPoints`.
   */
  readonly maxBytes?: number;
  /**
   * Size in bytes of a buffer that each encoded batch must fit into; takes precedence over `maxPoints` and `maxBytes`.
   */
  readonly bufferBytes?: number;
  /**
   * Whether a point that is larger than `bufferBytes` is left out and counted; otherwise such a point causes a
   * `RangeError`.
   */
  readonly ignoreLarge?: boolean;
  /**
   * Whether a point that is larger than `bufferBytes` becomes a batch of its own, which exceeds `bufferBytes`; takes
   * precedence over `ignoreLarge`.
   */
  readonly largeAlone?: boolean;
  /**
   * A function that is called before each chunk of output is stored, with the number of bytes of the chunk. When
   * the function throws an error, the encoding ends.
   */
  readonly written?: (bytes: number) => void;
  /**
   * Whether the size of a point is the exact length of its protobuf message; when absent or false, the size is an
   * estimate.
   */
  readonly exactSizes?: boolean;
}

/** A batch of encoded points. */
export interface EncodedBatch {
  /**
   * The encoded points as a complete body, in a buffer of their own. When the option `bufferBytes` is set, every line
   * ends with a newline.
   */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of points in the batch, at least 1. */
  readonly points: number;
}

/**
 * Batches in the order of the points. Each batch is made when it is requested, and the batches can be iterated only
 * once.
 */
export interface EncodedBatches extends Iterable<EncodedBatch> {
  /** Number of points left out so far because each was larger than the option `bufferBytes`. */
  readonly ignored: number;
  /** Number of points left out so far because line protocol cannot express them. */
  readonly unwritable: number;
}

/** Encodes points as they arrive and collects them into batches. */
export interface Batcher {
  /**
   * Adds points and returns the batches that are full now. The points are encoded before the call returns, so their
   * memory may be released then.
   */
  add(points: Encodable): EncodedBatch[];
  /** Returns a batch of the remaining points, if there are any. No points may be added afterwards. */
  end(): EncodedBatch[];
  /**
   * Adds `points` and passes each batch that is full now to `take`. When `points` is undefined, passes a batch of
   * the remaining points to `take`, if there are any, and ends the batcher. Unlike `add` and `end`, this method
   * does not copy the batches: the bytes of a batch are valid only until `take` returns.
   */
  each(points: Encodable | undefined, take: (batch: EncodedBatch) => void): void;
  /** Number of points left out so far because each was larger than the option `bufferBytes`. */
  readonly ignored: number;
  /** Number of points left out so far because line protocol cannot express them. */
  readonly unwritable: number;
}

/** Largest number of points that are encoded by one run of the encoder. */
const windowPoints = 2048;

/**
 * Makes a batcher, which encodes points as they arrive and returns full batches. Its methods throw a RangeError for a
 * point that is larger than the option `bufferBytes`, unless the options say what to do with such points.
 *
 * @example
 * const module = await instantiate(await defaultWasm());
 * const batcher = createBatcher(module, "lp", { maxPoints: 100 });
 * batcher.end(); // []
 */
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

/**
 * Encodes points in batches; each batch is made when it is requested. Throws a RangeError for a point that is larger
 * than the option `bufferBytes`, unless the options say what to do with such points.
 *
 * @example
 * const module = await instantiate(await defaultWasm());
 * [...encodeBatches(module, [], "lp")].length; // 0
 */
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

/**
 * Encodes the points and yields the batches that are full. The bytes of a batch are valid until the next batch is
 * requested.
 */
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
        // A range of points may lie on a tape (binary form of points) that is valid only until the next range is
        // requested. So each range is encoded before the next one is requested.
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

/** Splits ranges of points so that no range has more than `windowPoints` points. */
function* shortRanges(ranges: Iterable<TapeRange>): Generator<TapeRange, void> {
  for (const { batch, from: first, to: end } of ranges) {
    for (let from = first; from < end; from += windowPoints) {
      yield { batch, from, to: Math.min(end, from + windowPoints) };
    }
  }
}

// Ways to compute the size of a point: as an estimate, as the length of its protobuf message, or not at all.
const estimatedSizes = 0;
const exactSizes = 1;
const noSizes = 2;

function sizesNeeded(form: Form, { exactSizes: areExact, maxBytes = 0, bufferBytes = 0 }: BatchOptions): number {
  const isNeeded = bufferBytes > 0 ? form === "pb" : maxBytes > 0;
  if (!isNeeded) return noSizes;
  return areExact === true ? exactSizes : estimatedSizes;
}

/**
 * Encodes a range of points. Returns two numbers for each point: its length in bytes, and its size for the limit
 * of a batch, which may be an estimate.
 */
function encodeMarked(module: WasmModule, { batch, from, to }: TapeRange, sizes: number): Uint32Array {
  batch.layWarnings();
  const address = module.buffer((to - from) * 8);
  module.exports.encodeMarked(batch.base, from, to, address, sizes);
  module.refresh();
  return module.u32.slice(address >>> 2, (address >>> 2) + (to - from) * 2);
}
