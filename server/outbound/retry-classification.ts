// Classifies the answer of an upstream service: whether the data was taken, and how to describe the answer to people.

import { statusText } from "../telemetry/metrics.ts";
import type { UpstreamAnswer } from "./upstream.ts";

/** Returns the status or the network failure as a text for people. */
export function answerText({ status, cause }: Pick<UpstreamAnswer, "status" | "cause">): string {
  if (typeof status === "number") return `${status} ${statusText(status)}`;
  return cause === undefined ? status : `${status} (${cause})`;
}

/** Whether the data was taken, refused (never to be sent again), or is to be sent again. */
export type Classification =
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "again"; readonly reason: string; readonly afterMs?: number };

const longestReason = 1000;

/**
 * Classifies an answer. A 4xx status refuses, except 408 and 429. `from` names the sender of the answer, without
 * secrets.
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
