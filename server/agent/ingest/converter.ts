// Converters turn bodies in other formats (log streams, Prometheus remote writes, OTLP) into bodies of points. Each
// input brings its own converter, which runs in the thread that decodes the points.

import type { PointError } from "../engine.ts";
import type { WriteAnswer } from "./write-job.ts";
import type { Conversion, Rejected } from "./write-request.ts";

export interface ConvertedPoints {
  /** The encoded points, in the wire format that the write request names. */
  readonly points: Uint8Array;
  readonly rejected?: Rejected;
  /**
   * The body of the answer to the client, which is sent when the points are stored. Absent when the converter does
   * not make the answer; other code of the input then makes it.
   */
  readonly reply?: Uint8Array;
}

/**
 * The results of converting a body, without the points: for example a report of the items that were not
 * accepted. The input needs these results for its answer to the client.
 */
export type ConversionReport = Omit<ConvertedPoints, "points">;

export interface Converter<C extends Conversion = Conversion> {
  readonly name: C["converter"];
  /**
   * Converts a body to encoded points. Throws TooManyPoints when the body has more than `maxPoints` points (0 = no
   * limit). May throw other errors; the method `refusalOf` must be able to turn each of them into an answer.
   */
  convert(body: Uint8Array, conversion: C, maxPoints: number): ConvertedPoints;
  /**
   * Removes the lines that the decoder refused. Returns the remaining body and a report of the removed lines, or
   * undefined to refuse the whole body. When this function is absent, the whole body is always refused.
   */
  withoutFailures?(body: Uint8Array, error: PointError): ConvertedPoints | undefined;
  /**
   * Returns the answer that refuses the write, when `error` means that the body cannot be converted; undefined
   * when `error` has another cause.
   */
  refusalOf(error: unknown): Extract<WriteAnswer, { ok: false }> | undefined;
}

/** Converters of bodies in other formats, by the name of the converter. */
export type Converters = ReadonlyMap<string, Converter>;
