// Points to bytes of every wire form (docs/reference/points.md#writing-line-protocol): the module walks the tape and hands its output over
// chunk by chunk.
// Points that lie in JavaScript are put on a tape first, some at a time, so that there is one way to write each form.

import { asMemoryError } from "../../wasm/memory-error.ts";
import type { WasmModule } from "../../wasm/module.ts";
import { Batch, type PointBatch } from "../batch/batch.ts";
import { Cursor } from "../batch/cursor.ts";
import { Selection } from "../batch/selection.ts";
import { metricTypeName } from "../metric-type.ts";
import { nanosecondsIn } from "../precision.ts";
import type { PointView } from "../view.ts";

/** Line protocol, simple JSON, PBJSON, protobuf. */
export type Form = "lp" | "json" | "pbjson" | "pb";

/** What the writing of line protocol may be asked for; the other forms know nothing of it. */
export interface LineOptions {
  /** Unit of the times: `n`, `u`, `ms`, `s`, `m` or `h`; nanoseconds when absent. The other forms have nanoseconds always. */
  readonly precision?: string;
  /**
   * Lines of a decoded body that still say what their points say are copied, with the tags that points were given since: quicker, and it means the
   * same to every decoder. But tags and fields stand in any order then, and numbers and booleans as their senders wrote them. Absent or false: one
   * text for each point, its keys sorted.
   */
  readonly keepLines?: boolean;
}

export interface EncodeOptions extends LineOptions {
  /**
   * Leaves out the warnings of the points, which PBJSON and protobuf carry: for readers that have no use for them. Nothing is made of the
   * corrections of a decoded body then, whose warnings may take more time and bytes than the points.
   */
  readonly withoutWarnings?: boolean;
  /** Place of the first point to be written, 0 when absent; of batches one after the other, the first batch. */
  readonly from?: number;
  /** Place behind the last one, the end when absent. */
  readonly to?: number;
}

/** Takes a chunk of output: a view that is good until it returns. Points must not be encoded or decoded meanwhile. */
export type Sink = (chunk: Uint8Array) => void;

const forms: Readonly<Record<Form, number>> = { lp: 0, json: 1, pbjson: 2, pb: 3 };
/** Line protocol with `keepLines`. */
const keptLines = 4;
/** Added to a form. */
const noWarnings = 8;

/** Points and bytes of text that lie on a tape of their own at most, while points of JavaScript are encoded. */
const windowPoints = 1024;
const windowBytes = 1024 * 1024;

/** A batch or some of its points, points one by one, or batches one after the other as `decodeInWindows` gives them. */
export type Encodable = PointBatch | Iterable<PointView | PointBatch>;

/** Hands the points' bytes to `sink` in chunks and gives how many points were written: line protocol leaves out those it cannot say. */
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

/** Runs `write` between the start and the end of an encoding; gives how many points were written. */
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

/** All bytes at once, in a buffer of their own. */
export function encodePoints(
  module: WasmModule,
  points: Encodable,
  form: Form,
  options: EncodeOptions = {},
): Uint8Array<ArrayBuffer> {
  // The first chunk is mostly the only one. More of them are put together where the pages are in use already.
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

/** Points that lie on a tape of the module. */
export interface TapeRange {
  readonly batch: Batch;
  readonly from: number;
  readonly to: number;
}

/** Of a batch of this module: most points that are encoded lie in one. */
function wholeRange(
  module: WasmModule,
  points: Encodable,
  { from = 0, to = Number.POSITIVE_INFINITY }: EncodeOptions,
): TapeRange | null {
  if (!(points instanceof Batch) || points.module !== module) return null;
  points.requireLive();
  return { batch: points, from: Math.max(0, from), to: Math.min(to, points.length) };
}

/** The points as they lie on tapes; those of JavaScript on one that is good until the next range is asked for. */
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

/** Batches that belong to another instance point by point. */
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
