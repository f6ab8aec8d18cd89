// Sends the answer to a request while no agent can handle it. The answer says that the client may retry soon.

import type { ServerResponse } from "node:http";
import { ApiError, errorBody } from "../../http/errors.ts";

export function notReady(reason: string): ApiError {
  return new ApiError("agent.notReady", reason, { "retry-after": "2" });
}

/** Sends the answer 503 with the reason, and closes the connection, since the body of the request may be unread. */
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
