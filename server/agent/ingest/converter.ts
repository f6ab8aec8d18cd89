// Converters turn bodies in other formats (log streams, Prometheus remote writes, OTLP) into bodies of points. Each
// input brings its own converter, which runs in the thread that decodes the points.

import type { ErrorCode } from "../../http/errors.ts";
import type { PointError } from "../engine.ts";
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
   * Converts a body to encoded points. Throws ConversionError when it cannot read the body, TooManyPoints when the body
   * has more than `maxPoints` points (0 = no limit), and PointsTooLarge.
   */
  convert(body: Uint8Array, conversion: C, maxPoints: number): ConvertedPoints;
  /**
   * Removes the lines that the decoder refused. Returns the remaining body and a report of the removed lines, or
   * undefined to refuse the whole body. When this function is absent, the whole body is always refused.
   */
  withoutFailures?(body: Uint8Array, error: PointError): ConvertedPoints | undefined;
  /**
   * The answer to a write for which `convert` throws ConversionError: the error code, and the text before the message
   * of the error. Absent when `convert` reads every body.
   */
  readonly refusal?: { readonly code: ErrorCode; readonly prefix: string };
}

/** Thrown when a body does not have the format that its converter reads. */
export class ConversionError extends Error {}

/** Thrown when the points made of a body take more bytes than the limit allows. */
export class PointsTooLarge extends Error {}

/** Converters of bodies in other formats, by the name of the converter. */
export type Converters = ReadonlyMap<string, Converter>;
