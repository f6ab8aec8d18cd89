// Declares the protocol of Splunk's HTTP Event Collector (docs/inputs.md#splunk-hec) and its answers,
// `{"text","code"}`.

import { safeJson } from "../../../http/errors.ts";
import type { Push, PushAnswer, Refused } from "../push/push.ts";

/** Texts and codes of the answers to clients; they are the same as in answers of Splunk. */
export const hecAnswers = {
  success: { text: "Success", code: 0 },
  noToken: { text: "Token is required", code: 2 },
  wrongToken: { text: "Invalid token", code: 4 },
  noData: { text: "No data", code: 5 },
  invalidData: { text: "Invalid data format", code: 6 },
  internal: { text: "Internal server error", code: 8 },
  busy: { text: "Server is busy", code: 9 },
  noChannel: { text: "Data channel is missing", code: 10 },
  noEvent: { text: "Event field is required", code: 12 },
  blankEvent: { text: "Event field cannot be blank", code: 13 },
  ackOff: { text: "ACK is disabled", code: 14 },
  wrongFields: { text: "Error in handling indexed fields", code: 15 },
  healthy: { text: "HEC is healthy", code: 17 },
} as const;

export const splunkHecPush: Push = {
  name: "splunk_hec",
  title: "Splunk HEC events",
  paths: ["/services/collector", "/services/collector/event", "/services/collector/raw"],
  looksLike: (path) => path.startsWith("/services/collector"),
  refusal,
};

function refusal(refused: Refused): PushAnswer {
  const { kind, status: sent, message, headers, detail } = refused;
  // Like Splunk, the agent answers 403 to a wrong token, and 503 when the client should send the request again.
  const status = kind === "wrong token" ? 403 : sent === 429 || sent === 507 ? 503 : sent;
  const answer = answerOf(refused, status);
  return { status, body: safeJson({ ...answer, ...detail, message }), headers };
}

function answerOf({ kind }: Refused, status: number): { readonly text: string; readonly code: number } {
  if (kind === "no token") return hecAnswers.noToken;
  if (kind === "wrong token") return hecAnswers.wrongToken;
  if (kind === "no data") return hecAnswers.noData;
  if (kind === "path") return { text: "The requested URL was not found on this server.", code: status };
  if (status === 503) return hecAnswers.busy;
  return status >= 500 ? hecAnswers.internal : hecAnswers.invalidData;
}
