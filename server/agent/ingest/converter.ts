// Converters turn bodies that are no points into points: log streams, Prometheus remote writes, OTLP. Each input brings
// its own converter; ingest runs the converter in the thread that decodes the points.

import type { WriteAnswer } from "./write-job.ts";
import type { Conversion, Rejected } from "./write-request.ts";

export interface ConvertedPoints {
  /** The points, in the form that the write request names. */
  readonly points: Uint8Array;
  readonly rejected?: Rejected;
}

export interface Converter<C extends Conversion = Conversion> {
  readonly name: C["converter"];
  /**
   * Converts a body to points. `maxPoints`: 0 = no limit. Throws TooManyPoints, and errors that `refusalOf` turns into
   * an answer.
   */
  convert(body: Uint8Array, conversion: C, maxPoints: number): ConvertedPoints;
  /** Returns the answer to a body that cannot be converted; undefined when the error has another cause. */
  refusalOf(error: unknown): Extract<WriteAnswer, { ok: false }> | undefined;
}

/** Converters by name. */
export type Converters = ReadonlyMap<string, Converter>;
