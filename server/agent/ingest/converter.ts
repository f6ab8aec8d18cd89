// Converters make points of bodies that are in none of the forms of points: log streams, Prometheus remote writes, OTLP. An input brings its
// converter; ingest runs it in the thread that decodes.

import type { WriteAnswer } from "./write-job.ts";
import type { Conversion, Rejected } from "./write-request.ts";

export interface ConvertedPoints {
  /** In the form that the write request names. */
  readonly points: Uint8Array;
  readonly rejected?: Rejected;
}

export interface Converter<C extends Conversion = Conversion> {
  readonly name: C["converter"];
  /** `maxPoints`: 0 = no limit. Throws TooManyPoints, and errors that `refusalOf` explains. */
  convert(body: Uint8Array, conversion: C, maxPoints: number): ConvertedPoints;
  /** Returns the answer to a body that cannot be converted; undefined when the error is another one. */
  refusalOf(error: unknown): Extract<WriteAnswer, { ok: false }> | undefined;
}

/** Converters by name. */
export type Converters = ReadonlyMap<string, Converter>;
