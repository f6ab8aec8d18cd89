// Encodes points in batches of bounded size (docs/reference/points.md#batches): by the number of points, by the number of
// bytes, or by the size of a buffer. Each point is encoded once; the batches are cut out of the bytes.

import type { WasmModule } from "../../wasm/module.ts";
import { BatchCutter } from "./batch-cutter.ts";
import { type Encodable, encoding, type Form, type LineOptions, rangesOf, type TapeRange } from "./encode.ts";

/** Options for cutting batches. */
export interface BatchOptions extends LineOptions {
  /** Most points of a batch; 0 or absent means no bound. */
  readonly maxPoints?: number;
  /**
   * A batch is closed as soon as the sizes of its points reach this many bytes, so that it may have more bytes; takes
   * precedence over `maxPoints`.
   */
  readonly maxBytes?: number;
  /** Bytes of a buffer that each encoded batch must fit into; takes precedence over `maxPoints` and `maxBytes`. */
  readonly bufferBytes?: number;
  /** Whether a point that is larger than the buffer is left out and counted; otherwise it throws a `RangeError`. */
  readonly ignoreLarge?: boolean;
  /**
   * Whether a point that is larger than the buffer becomes a batch of its own, which exceeds the buffer; takes
   * precedence over `ignoreLarge`.
   */
  readonly largeAlone?: boolean;
  /**
   * A function that is called with the number of bytes of each piece of output before the piece is stored; an error
   * that it throws ends the encoding.
   */
  readonly written?: (bytes: number) => void;
  /** Whether the size of a point is the exact length of its protobuf message; absent or false means an estimate. */
  readonly exactSizes?: boolean;
}

/** A batch of encoded points. */
export interface EncodedBatch {
  /** The encoded points, complete and in a buffer of their own. With `bufferBytes` a newline follows every line. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of points, at least 1. */
  readonly points: number;
}

/** Batches in the order of the points. Each is made when it is requested, and they can be iterated once. */
export interface EncodedBatches extends Iterable<EncodedBatch> {
  /** Number of points left out so far because they are larger than the buffer. */
  readonly ignored: number;
  /** Number of points left out so far because line protocol cannot express them. */
  readonly unwritable: number;
}

/** Collects points into batches as they arrive. */
export interface Batcher {
  /**
   * Returns the batches that these points fill. The points are encoded before the call returns, so that their memory
   * may be released then.
   */
  add(points: Encodable): EncodedBatch[];
  /** Returns the batch of the remaining points, if any. No points may be added afterwards. */
  end(): EncodedBatch[];
  /**
   * Does the same as `add`, or as `end` when there are no points, without copying: the bytes of a batch are valid until
   * `take` returns.
   */
  each(points: Encodable | undefined, take: (batch: EncodedBatch) => void): void;
  /** Number of points left out so far because they are larger than the buffer. */
  readonly ignored: number;
  /** Number of points left out so far because line protocol cannot express them. */
  readonly unwritable: number;
}

/** Most points that are encoded at a time. */
const windowPoints = 2048;

/**
 * Makes a batcher, which encodes points as they arrive and returns full batches. Its calls throw a RangeError for a
 * point that is larger than the buffer, unless an option handles such points.
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
 * Encodes points in batches, which are made when they are requested. Throws a RangeError for a point that is larger
 * than the buffer, unless an option handles such points.
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
 * Encodes the points and yields the batches that they fill; the bytes of a batch are valid until the next batch is
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
        // A range may lie on a tape that is only valid until the next range is requested.
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

/** Splits ranges, so that none is longer than `windowPoints`. */
function* shortRanges(ranges: Iterable<TapeRange>): Generator<TapeRange, void> {
  for (const { batch, from: first, to: end } of ranges) {
    for (let from = first; from < end; from += windowPoints) {
      yield { batch, from, to: Math.min(end, from + windowPoints) };
    }
  }
}

// How the size of a point is computed: as an estimate, as the length of its protobuf message, or not at all.
const estimatedSizes = 0;
const exactSizes = 1;
const noSizes = 2;

function sizesNeeded(form: Form, { exactSizes: areExact, maxBytes = 0, bufferBytes = 0 }: BatchOptions): number {
  const isNeeded = bufferBytes > 0 ? form === "pb" : maxBytes > 0;
  if (!isNeeded) return noSizes;
  return areExact === true ? exactSizes : estimatedSizes;
}

/** Encodes a range. Returns two numbers for each of its points: its bytes and its size for the batch limit. */
function encodeMarked(module: WasmModule, { batch, from, to }: TapeRange, sizes: number): Uint32Array {
  batch.layWarnings();
  const address = module.buffer((to - from) * 8);
  module.exports.encodeMarked(batch.base, from, to, address, sizes);
  module.refresh();
  return module.u32.slice(address >>> 2, (address >>> 2) + (to - from) * 2);
}
