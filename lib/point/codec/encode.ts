// Encodes points in every wire format (docs/reference/points.md#writing-line-protocol): the WebAssembly module reads
// the tape (the binary form of points) and returns its output chunk by chunk. Points that are JavaScript objects are
// first copied to a tape, some at a time, so that each wire format needs only one encoder.

import { asMemoryError } from "../../wasm/memory-error.ts";
import type { WasmModule } from "../../wasm/module.ts";
import { Batch, type PointBatch } from "../batch/batch.ts";
import { Cursor } from "../batch/cursor.ts";
import { Selection } from "../batch/selection.ts";
import { metricTypeName } from "../metric-type.ts";
import { nanosecondsIn } from "../precision.ts";
import type { PointView } from "../view.ts";

/** A wire format: line protocol, simple JSON, PBJSON or protobuf. */
export type Form = "lp" | "json" | "pbjson" | "pb";

/** Options for line protocol; encoders of the other wire formats ignore them. */
export interface LineOptions {
  /**
   * Unit of the times: `n`, `u`, `ms`, `s`, `m` or `h`; absent means nanoseconds. The other wire formats always use
   * nanoseconds.
   */
  readonly precision?: string;
  /**
   * Whether the encoder copies the lines of unchanged points from the decoded body, and inserts tags that were
   * added to the points. This is faster. Every decoder reads the same points from the result, but the tags and
   * fields have the order, and the numbers and booleans the spelling, that they had in the decoded body. When
   * absent or false, the encoder writes each point in one canonical form with sorted keys.
   */
  readonly keepLines?: boolean;
}

/** Options for all wire formats. */
export interface EncodeOptions extends LineOptions {
  /**
   * Whether the warnings of points, which PBJSON and protobuf can carry, are left out because the reader does not use
   * them. Making and writing the warnings may take more time and bytes than the points.
   */
  readonly withoutWarnings?: boolean;
  /**
   * Index of the first point to write, default 0. When several batches are encoded, the first point of the first batch
   * has the index 0.
   */
  readonly from?: number;
  /** Index after the last point to write; the default is the number of points. */
  readonly to?: number;
}

/**
 * A function that receives each chunk of output. The chunk is valid until the function returns, and the function must
 * not encode or decode points.
 */
export type Sink = (chunk: Uint8Array) => void;

const forms: Readonly<Record<Form, number>> = { lp: 0, json: 1, pbjson: 2, pb: 3 };
/** Number that selects line protocol with the option `keepLines` in the WebAssembly module. */
const keptLines = 4;
/** Flag that is added to the number of a wire format to leave out warnings. */
const noWarnings = 8;

/**
 * When JavaScript points are encoded, they are copied to a tape (the binary form of points), some at a time. The tape
 * is encoded as soon as it has `windowPoints` points, or `windowBytes` bytes of strings.
 */
const windowPoints = 1024;
const windowBytes = 1024 * 1024;

/**
 * The points to encode: a batch or some of its points, single points, or several batches such as the windows of
 * `decodeInWindows`.
 */
export type Encodable = PointBatch | Iterable<PointView | PointBatch>;

/**
 * Encodes the points and passes the bytes to `sink` in chunks. Returns the number of points written, which is smaller
 * than the number of points when line protocol cannot express some of them.
 *
 * @example
 * const module = await instantiate(await defaultWasm());
 * const point = new Point("cpu", 1n);
 * point.setField(new Key("load"), 1);
 * encodeTo(module, [point], "lp", (chunk) => console.log(chunk.length)); // 1
 */
export function encodeTo(
  module: WasmModule,
  points: Encodable,
  form: Form,
  sink: Sink,
  options: EncodeOptions = {},
): number {
  const { withoutWarnings = false } = options;
  const write = ({ batch, from, to }: TapeRange): void => {
    if (!withoutWarnings && (form === "pbjson" || form === "pb")) batch.layWarnings();
    if (from < to) module.exports.encodePoints(batch.base, from, to);
    module.refresh();
  };
  return encoding(module, form, sink, options, () => {
    const whole = wholeRange(module, points, options);
    if (whole !== null) write(whole);
    else for (const range of rangesOf(module, points, options)) write(range);
  });
}

/** Starts an encoding, runs `write`, and ends the encoding. Returns the number of points written. */
export function encoding(
  module: WasmModule,
  form: Form,
  sink: Sink,
  {
    precision = "n",
    keepLines = false,
    withoutWarnings = false,
  }: Pick<EncodeOptions, keyof LineOptions | "withoutWarnings">,
  write: () => void,
): number {
  if (module.encoding !== null) throw new Error("points are being encoded already");
  module.encoding = { take: sink, metricType: (type) => JSON.stringify(metricTypeName(type) ?? type) };
  const { exports } = module;
  try {
    const as = keepLines && form === "lp" ? keptLines : forms[form];
    exports.startEncoding(withoutWarnings ? as + noWarnings : as, nanosecondsIn(precision));
    module.refresh();
    write();
    return exports.finishEncoding();
  } catch (error) {
    throw asMemoryError(error, "while points were encoded");
  } finally {
    exports.stopEncoding();
    module.encoding = null;
    module.refresh();
  }
}

/**
 * Encodes the points and returns all bytes at once, in a buffer of their own.
 *
 * @example
 * const module = await instantiate(await defaultWasm());
 * const point = new Point("cpu", 1n);
 * point.setField(new Key("load"), 1);
 * new TextDecoder().decode(encodePoints(module, [point], "lp")); // "cpu load=1i 1"
 */
export function encodePoints(
  module: WasmModule,
  points: Encodable,
  form: Form,
  options: EncodeOptions = {},
): Uint8Array<ArrayBuffer> {
  // Usually there is only one chunk, which is copied once. Several chunks are joined in memory that was used
  // before: for such memory, no pages must be requested from the operating system.
  let first: Uint8Array<ArrayBuffer> | null = null;
  let length = 0;
  encodeTo(
    module,
    points,
    form,
    (chunk) => {
      if (length === 0) first = chunk.slice();
      else {
        if (first !== null) module.gather(0, first);
        first = null;
        module.gather(length, chunk);
      }
      length += chunk.length;
    },
    options,
  );
  return first ?? module.gathered(length);
}

/** A range of points on a tape (the binary form of points in WebAssembly memory). */
export interface TapeRange {
  readonly batch: Batch;
  readonly from: number;
  readonly to: number;
}

/**
 * Returns all points of a batch as one range when the batch belongs to this WebAssembly module, else null. This is a
 * shortcut for the most frequent case.
 */
function wholeRange(
  module: WasmModule,
  points: Encodable,
  { from = 0, to = Number.POSITIVE_INFINITY }: EncodeOptions,
): TapeRange | null {
  if (!(points instanceof Batch) || points.module !== module) return null;
  points.requireLive();
  return { batch: points, from: Math.max(0, from), to: Math.min(to, points.length) };
}

/**
 * Yields the points as ranges on tapes (the binary form of points). JavaScript points are copied to a tape that is
 * valid until the next range is requested.
 */
export function* rangesOf(
  module: WasmModule,
  points: Encodable,
  { from = 0, to = Number.POSITIVE_INFINITY }: EncodeOptions,
): Iterable<TapeRange> {
  const whole = wholeRange(module, points, { from, to });
  if (whole !== null) {
    yield whole;
    return;
  }
  if (points instanceof Selection && points.batch.module === module && from === 0 && to >= points.length) {
    points.batch.requireLive();
    for (const run of points.runs()) yield { batch: points.batch, ...run };
    return;
  }
  const wanted = from === 0 && to === Number.POSITIVE_INFINITY ? points : slice(points, from, to);
  let tape: Batch | null = null;
  const filled = function* (): Iterable<TapeRange> {
    if (tape === null) return;
    yield { batch: tape, from: 0, to: tape.length };
    tape.release();
    tape = null;
  };
  try {
    for (const point of eachPoint(module, wanted)) {
      if (point instanceof Batch) {
        yield* filled();
        point.requireLive();
        yield { batch: point, from: 0, to: point.length };
        continue;
      }
      if (point instanceof Cursor && point.batch.module === module) {
        yield* filled();
        point.batch.requireLive();
        yield { batch: point.batch, from: point.index, to: point.index + 1 };
        continue;
      }
      tape ??= Batch.empty(module);
      tape.add(point);
      if (tape.length >= windowPoints || tape.heapBytes >= windowBytes) yield* filled();
    }
    yield* filled();
  } finally {
    (tape as Batch | null)?.release();
  }
}

/**
 * Yields single points and whole batches. A batch of another WebAssembly instance is split into its points, because
 * this instance cannot read the tape (the binary form of points) of the other one.
 */
function* eachPoint(module: WasmModule, points: Iterable<PointView | PointBatch>): Iterable<PointView | Batch> {
  for (const each of points) {
    if (each instanceof Batch && each.module !== module) yield* each;
    else yield each as PointView | Batch;
  }
}

function* slice<T>(points: Iterable<T>, from: number, to: number): Iterable<T> {
  let place = 0;
  for (const point of points) {
    if (place >= to) return;
    if (place++ >= from) yield point;
  }
}
