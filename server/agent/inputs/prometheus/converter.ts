// Declares the converter that makes points from Prometheus remote writes, and the settings that the converter gets with
// each body.

import type { Converter } from "../../ingest/converter.ts";
import type { Conversion } from "../../ingest/write-request.ts";
import { prometheusPoints } from "./points.ts";

export interface PrometheusConversion extends Conversion {
  readonly converter: "prometheus";
  /** Whether the body of a remote write is compressed as a Snappy block. */
  readonly isSnappy: boolean;
  /** Largest allowed size of a decompressed body, in bytes. */
  readonly maxBytes: number;
}

export const prometheusConverter: Converter<PrometheusConversion> = {
  name: "prometheus",
  convert: (body, { isSnappy, maxBytes }) => ({ points: prometheusPoints(body, isSnappy, maxBytes) }),
  refusal: { code: "agent.invalidProtobufPoint", prefix: "remote write: " },
};
