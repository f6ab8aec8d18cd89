// Sends the answer to a request while no agent can handle it. The answer says that the client may retry soon.

import type { ServerResponse } from "node:http";
import { sendError } from "../../http/answer.ts";
import { ApiError } from "../../http/errors.ts";

const retryAfter = { "retry-after": "2" };

export function notReady(reason: string): ApiError {
  return new ApiError("agent.notReady", reason, retryAfter);
}

/** Sends the answer 503 with the reason, and closes the connection, since the body of the request may be unread. */
export function answerNotReady(response: ServerResponse, reason: string): void {
  sendError(response, new ApiError("agent.notReady", reason, { ...retryAfter, connection: "close" }));
}
