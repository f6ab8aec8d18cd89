// Stores the points of an OTLP request that came over HTTP or gRPC.

import type { CategoryName } from "../../../../lib/point/index.ts";
import type { RequestAbort } from "../../../http/abort-signal.ts";
import { ApiError } from "../../../http/errors.ts";
import type { Ingest } from "../../ingest/ingest.ts";
import type { Form, Rejected, WriteRequest } from "../../ingest/write-request.ts";
import type { OtlpConversion } from "./converter.ts";
import type { OtlpEncoding, Signal } from "./points.ts";

/** The category of the points, by the kind of OTLP data (traces, metrics or logs). */
export const categoryOf = {
  traces: "tracing",
  metrics: "metric",
  logs: "logging",
} as const satisfies Record<Signal, CategoryName>;

export const signals = Object.keys(categoryOf) as readonly Signal[];

/** Largest size of the points made of a request, as a multiple of the largest allowed size of a body. */
const growth = 4;

/**
 * Returns the settings for converting and storing the body of an OTLP request. `cap`: the largest allowed size of a
 * body in bytes.
 */
export function writeOf(
  signal: Signal,
  encoding: OtlpEncoding,
  cap: number,
): { readonly category: CategoryName; readonly form: Form; readonly conversion: OtlpConversion } {
  const conversion = { converter: "otlp", signal, encoding, maxBytes: growth * cap, isCounted: false } as const;
  return { category: categoryOf[signal], form: "pbjson", conversion };
}

/** Stores the points of a request. Returns the items of the request that were not accepted. Throws ApiError. */
export async function store(
  ingest: Ingest,
  write: WriteRequest,
  caller: Pick<RequestAbort, "signal" | "keep">,
): Promise<Rejected | undefined> {
  let rejected: Rejected | undefined;
  try {
    await ingest(write, caller, (report) => {
      rejected = report.rejected;
    });
  } catch (error) {
    // The OTLP request has no points, or none of its items can become a point. An error is not reported, since it would
    // make the client send the same request again.
    if (!(error instanceof ApiError && error.code === "agent.noPoints")) throw error;
  }
  return rejected;
}
