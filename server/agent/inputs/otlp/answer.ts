// Encodes the answers to OTLP/HTTP requests, in JSON or protobuf like the request. The answer is the response message
// for traces, metrics or logs, such as ExportTraceServiceResponse, or a google.rpc.Status for an error.

import { shortenedText } from "../../../../lib/text/index.ts";
import { safeJson } from "../../../http/errors.ts";
import type { Rejected } from "../../ingest/write-request.ts";
import type { OtlpEncoding, Signal } from "./points.ts";

const rejectedMembers = { traces: "rejectedSpans", metrics: "rejectedDataPoints", logs: "rejectedLogRecords" } as const;

/**
 * Returns the body of the answer to an accepted request. `rejected`: the items that were not accepted; undefined when
 * all were accepted.
 */
export function exportAnswer(signal: Signal, encoding: OtlpEncoding, rejected: Rejected | undefined): Uint8Array {
  if (encoding === "json") {
    const partial = rejected && {
      [rejectedMembers[signal]]: String(rejected.count),
      errorMessage: shortenedText(rejected.reason),
    };
    return Buffer.from(safeJson(partial === undefined ? {} : { partialSuccess: partial }));
  }
  if (rejected === undefined) return new Uint8Array();
  return bytesField(
    1,
    Buffer.concat([integerField(1, rejected.count), bytesField(2, Buffer.from(shortenedText(rejected.reason)))]),
  );
}

// Error codes (google.rpc.Code) by HTTP status.
const statusCodes: ReadonlyMap<number, number> = new Map([
  [400, 3],
  [403, 7],
  [413, 11],
  [429, 8],
  [503, 14],
]);
const internal = 13;

export function statusAnswer(
  encoding: OtlpEncoding,
  httpStatus: number,
  errorCode: string,
  message: string,
): Uint8Array {
  const code = statusCodes.get(httpStatus) ?? internal;
  if (encoding === "json") return Buffer.from(safeJson({ code, message, error_code: errorCode }));
  const text = message === "" ? errorCode : `${errorCode}: ${message}`;
  return Buffer.concat([integerField(1, code), bytesField(2, Buffer.from(text))]);
}

function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function integerField(number: number, value: number): Uint8Array {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
