// Declares the converter of Splunk's events to logs, and the settings that it gets with each request.

import type { Converter } from "../../ingest/converter.ts";
import type { Conversion } from "../../ingest/write-request.ts";
import { convertEvents, type EventOrigin } from "./events.ts";

export interface HecConversion extends Conversion {
  readonly converter: "splunk_hec";
  /** Whether each line of the body is an event; otherwise the body holds events in JSON. */
  readonly isRaw: boolean;
  /** Host, source, sourcetype and index for events that do not name them. */
  readonly origin: EventOrigin;
  /** Largest allowed size in bytes of the points that are made from one request. */
  readonly maxPointBytes: number;
}

export const hecConverter: Converter<HecConversion> = {
  name: "splunk_hec",
  convert: convertEvents,
};
