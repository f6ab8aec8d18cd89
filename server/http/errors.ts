// The catalogue of errors an answer may carry: code and HTTP status declared once (agent document, A.2).

import { escapeJson, shortenedText } from "../../lib/point/shown-text.ts";

export const statusOfError = {
  "agent.badRequest": 400,
  "agent.invalidRequest": 400,
  "agent.invalidCategory": 400,
  "agent.invalidPipeline": 400,
  "agent.invalidData": 400,
  "agent.decodeBodyFailed": 400,
  "agent.emptyBody": 400,
  "agent.noPoints": 400,
  "agent.invalidLinePoint": 400,
  "agent.invalidJsonPoint": 400,
  "agent.invalidProtobufPoint": 400,
  "agent.pointGotWarning": 400,
  "agent.invalidStorageIndex": 400,
  "agent.invalidJSON": 400,
  "agent.inputOrErrcontentCanNotBeNil": 400,
  "agent.unknownRUMMeasurement": 400,
  "agent.publicAccessDisabled": 403,
  "agent.RUMApp_idNotInTheWhiteList": 403,
  "agent.invalidToken": 403,
  "agent.electionDisabled": 403,
  "agent.bodyTooLarge": 413,
  "agent.reachMaxAPILimit": 429,
  // Errors of queries: a syntax error has this code on the agent and on the platform.
  "agent.queryParseError": 400,
  "agent.queryTimeout": 504,
  "agent.queryFailed": 500,
  "agent.internalServerError": 500,
  "agent.allRetryFailed": 500,
  "agent.gatewayTokenMissing": 500,
  "agent.noGatewayAvailable": 500,
  "agent.tokenMissing": 500,
  // Not in the document's table: the bytes of all bodies held at once, or the writes that wait for a worker, reach their
  // bound; the queue is full; the queue (without a gateway: the output file) cannot be written. Nothing of the request is
  // kept (of a batch with several categories: part of it may be).
  "agent.tooManyBytesInFlight": 503,
  "agent.tooManyWritesWaiting": 503,
  "agent.queueFull": 503,
  "agent.queueFailed": 503,
  // While the agent stops or reads its configuration anew: neither the new one nor the old one starts, too many requests wait, or
  // one of those before takes too long.
  "agent.notReady": 503,
  // A body comes with fewer bytes per second than the configuration asks for.
  "agent.bodyTooSlow": 408,
  // Of the gateway (gateway document, section 4); what shared code throws is told in its name.
  "gateway.badRequest": 400,
  "gateway.invalidData": 400,
  "gateway.ipForbidden": 403,
  "gateway.emptyToken": 403,
  "gateway.invalidToken": 403,
  "gateway.publicAccessDisabled": 403,
  "gateway.invalidCategory": 404,
  "gateway.bodyTooSlow": 408,
  "gateway.bodyTooLarge": 413,
  "gateway.tooManyRequests": 429,
  "gateway.headerTooLarge": 431,
  "gateway.internalServerError": 500,
  "gateway.queueFailed": 503,
  "gateway.upstreamFailed": 502,
  "gateway.upstreamTimeout": 504,
  "gateway.sinkRulesInvalid": 503,
  "gateway.noRemoteHost": 503,
  "gateway.tooManyBytesInFlight": 503,
  "gateway.tooManyHops": 508,
  // Of the platform (query document, section 9).
  "platform.badRequest": 400,
  "platform.emptyBody": 400,
  "platform.invalidPoints": 400,
  "platform.invalidJSON": 400,
  "platform.invalidRequest": 400,
  "platform.emptyToken": 403,
  "platform.invalidToken": 403,
  "platform.publicAccessDisabled": 403,
  "platform.notFound": 404,
  "platform.invalidCategory": 404,
  "platform.bodyTooSlow": 408,
  "platform.bodyTooLarge": 413,
  // Nobody reads it: the client has gone.
  "platform.queryCancelled": 499,
  "platform.internalServerError": 500,
  "platform.queryFailed": 500,
  "platform.storeFailed": 503,
  "platform.tooManyBytesInFlight": 503,
  "platform.queryTimeout": 504,
} as const;

export type ErrorCode = keyof typeof statusOfError;

/** The services that answer in this form. */
export type Service = "agent" | "gateway" | "platform";

/** For the services whose codes begin otherwise: the code of an error of shared code, in their name. */
export function codeFor(service: Exclude<Service, "agent">, code: ErrorCode): ErrorCode {
  if (code === "agent.queryParseError") return code;
  const own = code.replace(/^agent\./, `${service}.`);
  return own in statusOfError ? (own as ErrorCode) : `${service}.badRequest`;
}

/** A refusal that becomes the answer: `{"error_code","message"}`, the message left out when empty, and no longer than 1 KB. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message = "", headers: Readonly<Record<string, string>> = {}) {
    super(shortenedText(message));
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return statusOfError[this.code];
  }
}

export function errorBody(code: ErrorCode, message: string): string {
  return safeJson(message === "" ? { error_code: code } : { error_code: code, message });
}

/** Returns JSON whose texts do not steer the terminal that prints it: they may quote what a client sent. */
export function safeJson(value: unknown): string {
  return escapeJson(JSON.stringify(value));
}
