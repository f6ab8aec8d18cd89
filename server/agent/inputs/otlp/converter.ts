// Declares the converter that makes points from OTLP requests, and the settings that the converter gets with each
// request.

import type { Converter } from "../../ingest/converter.ts";
import type { Conversion } from "../../ingest/write-request.ts";
import { type OtlpEncoding, otlpPoints, type Signal } from "./points.ts";

export interface OtlpConversion extends Conversion {
  readonly converter: "otlp";
  readonly signal: Signal;
  readonly encoding: OtlpEncoding;
  /** Largest allowed size in bytes of the points that are made from one request. */
  readonly maxBytes: number;
}

export const otlpConverter: Converter<OtlpConversion> = {
  name: "otlp",
  convert: (body, { signal, encoding, maxBytes }) => otlpPoints(body, signal, encoding, maxBytes),
  refusal: { code: "agent.invalidData", prefix: "OTLP: " },
};
