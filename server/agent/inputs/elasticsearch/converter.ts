// Declares the converter of bulk requests to logs, and the settings that it gets with each request.

import type { Converter } from "../../ingest/converter.ts";
import type { Conversion } from "../../ingest/write-request.ts";
import { convertBulk } from "./bulk.ts";

export interface BulkConversion extends Conversion {
  readonly converter: "elasticsearch";
  /** Name of the index for actions of a bulk request that name no index. */
  readonly index: string;
  /** Whether each item of the answer has only its status and its error. */
  readonly isBrief: boolean;
  /** Largest size in bytes of the points that a request is converted to. */
  readonly maxPointBytes: number;
}

export const bulkConverter: Converter<BulkConversion> = {
  name: "elasticsearch",
  convert: convertBulk,
  refusal: { code: "agent.invalidData", prefix: "" },
};
