// Encodes points that are plain objects. Each object becomes a point only when the encoder asks for it, so the
// points are never all in memory at the same time.

import type { PointBatch } from "../point/batch/batch.ts";
import { type Encodable, type EncodeOptions, encodePoints, type Form } from "../point/codec/encode.ts";
import type { Point } from "../point/point.ts";
import type { PointView } from "../point/view.ts";
import { type OptionNames, refuse, requireOneOf } from "../text/argument.ts";
import type { WasmModule } from "../wasm/module.ts";
import { checkEncodeOptions, formOf } from "./check-options.ts";
import { isPoint } from "./check-points.ts";
import { DecodedPoint, DecodedPoints } from "./decoded-points.ts";
import { encodeNames } from "./option-names.ts";
import { type InputRules, type JsonPoint, type PlainPoint, type PointInput, pointOf } from "./plain-point.ts";
import type { WholeNumbers } from "./plain-value.ts";

/** Points for `encode`: plain objects, decoded points or objects with the methods of `PointView`, in any mixture. */
export type EncodeInput =
  | DecodedPoints
  | PointBatch
  | Iterable<PointInput | PlainPoint | PlainPoint<bigint> | JsonPoint | DecodedPoint | PointView>;

/** Options of `encode`, which encodes plain objects or points. */
export interface PlainEncodeOptions extends EncodeOptions {
  /** `bytes` (the default): returns a Uint8Array. `text`: returns a string; an error for `pb`, which is binary. */
  readonly as?: "bytes" | "text";
  /** The type of numbers without a fraction in plain objects: `float` (the default) or `int`. */
  readonly wholeNumbers?: WholeNumbers;
}

const plainEncodeNames: OptionNames<PlainEncodeOptions> = { ...encodeNames, as: true, wholeNumbers: true };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function encodePlain(
  module: WasmModule,
  now: () => bigint,
  points: unknown,
  form: unknown,
  options: PlainEncodeOptions | undefined,
): Uint8Array<ArrayBuffer> | string {
  const call = "encode";
  const as = checkedForm(call, form, options);
  const input = points instanceof DecodedPoints ? points.batch : encodable(call, points, as, now, options);
  const bytes = encodePoints(module, input, as, options);
  return options?.as === "text" ? decoder.decode(bytes) : bytes;
}

function checkedForm(call: string, form: unknown, options: PlainEncodeOptions | undefined): Form {
  const as = formOf(call, form);
  checkEncodeOptions(call, options, plainEncodeNames);
  if (options?.as !== undefined) requireOneOf(call, "as", options.as, ["bytes", "text"]);
  if (options?.as === "text" && as === "pb")
    throw new TypeError(`${call}: as must be "bytes" for "pb", which is binary; got "text". Use "pbjson" for text`);
  checkWholeNumbers(call, options?.wholeNumbers);
  return as;
}

export function checkWholeNumbers(call: string, whole: unknown): void {
  if (whole !== undefined) requireOneOf(call, "wholeNumbers", whole, ["float", "int"]);
}

function encodable(
  call: string,
  points: unknown,
  form: Form,
  now: () => bigint,
  options: PlainEncodeOptions | undefined,
): Encodable {
  const isIterable =
    typeof points === "object" &&
    points !== null &&
    typeof (points as Iterable<unknown>)[Symbol.iterator] === "function";
  if (!isIterable || ArrayBuffer.isView(points)) {
    const help = typeof points === "object" && points !== null && !isIterable ? ". Write [point] for one point" : "";
    refuse(call, "points", "an array or another iterable of points", points, help);
  }
  return eachPoint(points as Iterable<unknown>, form, { call, whole: options?.wholeNumbers ?? "float", now });
}

function* eachPoint(points: Iterable<unknown>, form: Form, rules: InputRules): Iterable<PointView> {
  let index = 0;
  const argument = (): string => `points[${index}]`;
  for (const point of points) {
    if (point instanceof DecodedPoint) yield point.view;
    else if (isPoint(point)) yield point;
    else {
      const made = pointOf(point, argument, rules);
      if (form === "lp") requireLine(made, argument, rules.call);
      yield made;
    }
    index++;
  }
}

/**
 * Throws a TypeError when line protocol cannot express the point. The encoder would leave out such a point silently.
 */
function requireLine(point: Point, argument: () => string, call: string): void {
  const slots = point.slotList();
  if (point.name === "") throw new TypeError(`${call}: ${argument()}.name must not be empty in line protocol`);
  if (slots.some(({ key }) => key === ""))
    throw new TypeError(`${call}: ${argument()} must not have an empty key, which line protocol cannot express`);
  if (!slots.some(({ isTag, value }) => !isTag && value !== null))
    throw new TypeError(`${call}: ${argument()} must have a field with a value, because a line needs one`);
}
