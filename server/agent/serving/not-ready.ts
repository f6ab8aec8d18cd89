// What a client is told whose request no agent can answer now: it may come again soon.

import type { ServerResponse } from "node:http";
import { ApiError, errorBody } from "../../http/errors.ts";

export function notReady(reason: string): ApiError {
  return new ApiError("agent.notReady", reason, { "retry-after": "2" });
}

/** Ends the connection: the body of the request may not have been read. */
export function answerNotReady(response: ServerResponse, reason: string): void {
  const { status, code, message, headers } = notReady(reason);
  const body = errorBody(code, message);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    ...headers,
    connection: "close",
  });
  response.end(body);
}
