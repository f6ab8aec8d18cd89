// Encodes points in every wire form (docs/reference/points.md#writing-line-protocol): the module walks the tape and hands its output
// over chunk by chunk. Points of JavaScript are first copied to a tape, some at a time, so that each form has one
// encoder.

import { asMemoryError } from "../../wasm/memory-error.ts";
import type { WasmModule } from "../../wasm/module.ts";
import { Batch, type PointBatch } from "../batch/batch.ts";
import { Cursor } from "../batch/cursor.ts";
import { Selection } from "../batch/selection.ts";
import { metricTypeName } from "../metric-type.ts";
import { nanosecondsIn } from "../precision.ts";
import type { PointView } from "../view.ts";

/** A wire form: line protocol, simple JSON, PBJSON, protobuf. */
export type Form = "lp" | "json" | "pbjson" | "pb";

/** Options for line protocol; the other forms ignore them. */
export interface LineOptions {
  /** Unit of the times: `n`, `u`, `ms`, `s`, `m` or `h`; absent means nanoseconds. The other forms always use nanoseconds. */
  readonly precision?: string;
  /**
   * Whether the encoder copies lines of a decoded body that still say what their points say, together with tags that
   * were added since. This is faster and means the same to every decoder, but tags and fields keep the sender's order,
   * and numbers and booleans the sender's spelling. Absent or false means one canonical text for each point, with
   * sorted keys.
   */
  readonly keepLines?: boolean;
}

/** Options of encoders. */
export interface EncodeOptions extends LineOptions {
  /**
   * Whether the warnings of the points, which PBJSON and protobuf carry, are left out, for readers that do not use
   * them. Warnings of a decoded body, which may take more time and bytes than the points, are then never made.
   */
  readonly withoutWarnings?: boolean;
  /** Index of the first point to write, default 0; for several batches the index counts from the first batch. */
  readonly from?: number;
  /** Index behind the last point to write, default the end. */
  readonly to?: number;
}

/**
 * Receives a chunk of output: a view that is valid until the function returns. The function must not encode or decode
 * points.
 */
export type Sink = (chunk: Uint8Array) => void;

const forms: Readonly<Record<Form, number>> = { lp: 0, json: 1, pbjson: 2, pb: 3 };
/** Number of the form for line protocol with `keepLines`. */
const keptLines = 4;
/** Flag that is added to a form: leave warnings out. */
const noWarnings = 8;

/** Most points, and most bytes of text, that lie on a separate tape while points of JavaScript are encoded. */
const windowPoints = 1024;
const windowBytes = 1024 * 1024;

/** A batch or some of its points, single points, or several batches as `decodeInWindows` returns them. */
export type Encodable = PointBatch | Iterable<PointView | PointBatch>;

/**
 * Encodes the points and hands the bytes to `sink` in chunks. Returns the number of points written: line protocol
 * leaves out points that it cannot express.
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

/** Runs `write` between the start and the end of an encoding. Returns the number of points written. */
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
 * Returns all bytes at once, in a buffer of their own.
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
  // Mostly the first chunk is the only one. More chunks are joined in memory whose pages are already in use.
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

/** Points on a tape of the module. */
export interface TapeRange {
  readonly batch: Batch;
  readonly from: number;
  readonly to: number;
}

/** Returns the range of a batch of this module, null for other points; most encoded points lie in one such batch. */
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
 * Yields the points as ranges of tapes. Points of JavaScript are copied to a tape that is valid until the next range is
 * requested.
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

/** Yields the points of a batch of another instance one by one. */
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
