// Classifies the answer of an upstream service: whether the service accepted the data, and how messages describe
// the answer.

import { statusText } from "../telemetry/metrics.ts";
import type { UpstreamAnswer } from "./upstream.ts";

/** Returns the HTTP status or the network failure as a text for messages. */
export function answerText({ status, cause }: Pick<UpstreamAnswer, "status" | "cause">): string {
  if (typeof status === "number") return `${status} ${statusText(status)}`;
  return cause === undefined ? status : `${status} (${cause})`;
}

/**
 * The outcome for the data that was sent: the service accepted it, the service refused it (the data must never
 * be sent again), or the data must be sent again.
 */
export type Classification =
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "again"; readonly reason: string; readonly afterMs?: number };

const longestReason = 1000;

/**
 * Classifies an answer of an upstream service. A 4xx status other than 408 and 429 means that the service
 * refuses the data. `from`: the name of the service in messages, which must contain no secrets.
 */
export function classificationOf(
  from: string,
  { status, cause, retryAfterMs, bytes }: Pick<UpstreamAnswer, "status" | "cause" | "retryAfterMs" | "bytes">,
): Classification {
  const what = `${from}: ${answerText({ status, cause })}`;
  if (typeof status === "string") return { kind: "again", reason: what };
  if (status >= 200 && status < 300) return { kind: "taken" };
  const text = new TextDecoder().decode(bytes.subarray(0, longestReason));
  const reason = `${what}${text === "" ? "" : `: ${text}`}`;
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) return { kind: "refused", reason };
  return { kind: "again", reason, ...(retryAfterMs === undefined ? {} : { afterMs: retryAfterMs }) };
}
