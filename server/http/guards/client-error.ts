// Answers clients that send an invalid HTTP request, send too slowly, or send too many bytes of headers. In
// these cases Node passes to the service an error with the received bytes, and no request object.

import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";

export interface ClientError {
  readonly status: number;
  /** The URL path as the client sent it; empty when the received bytes do not contain it. */
  readonly path: string;
  /** Node's error code, such as `HPE_INVALID_METHOD`. */
  readonly reason: string;
}

const statuses: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};
const messages: Readonly<Record<number, string>> = {
  400: "Client Error",
  408: "Client Timeout",
  431: "Exceeded maximum allowed HTTP header size",
};

export interface ClientErrorAnswer {
  readonly status: number;
  /** The body of the error answer, as JSON text. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Sends the answer for an error and closes the connection. `own`: returns the answer for an interface that has
 * its own answer format, or undefined when the common answer is to be sent.
 */
export function answerClientError(
  error: Error & { readonly code?: string; readonly rawPacket?: unknown },
  socket: Socket,
  own: (error: ClientError) => ClientErrorAnswer | undefined = () => undefined,
): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const reason = error.code ?? "";
  const status = statuses[reason] ?? 400;
  const { rawPacket } = error;
  const start = rawPacket instanceof Uint8Array ? Buffer.from(rawPacket.subarray(0, 4096)).toString("latin1") : "";
  // The received bytes begin with the request line only if the error occurred in the first bytes of the
  // connection. Otherwise the path is unknown and stays empty.
  const [, path = ""] = /^\S{1,50} +(\S{1,2000})/.exec(start) ?? [];
  const answer = own({ status, path, reason }) ?? commonAnswer(status);
  if (socket.writable) {
    const headers = { "Content-Length": Buffer.byteLength(answer.body), "Content-Type": "application/json" };
    const lines = Object.entries({ ...headers, ...answer.headers, Connection: "close" });
    socket.write(
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${answer.body}`,
    );
  }
  socket.destroy(error);
}

function commonAnswer(status: number): ClientErrorAnswer {
  return {
    status,
    body: JSON.stringify({ error: STATUS_CODES[status], message: messages[status], statusCode: status }),
  };
}
