// The answer of a target, given back to the client.

import type { FastifyReply } from "fastify";
import { ApiError } from "../http/errors.ts";
import type { UpstreamAnswer } from "../http/upstream.ts";

const kept = ["content-type", "content-encoding", "retry-after", "x-trace-id"];

/** Status, body and what the body needs to be read; throws the 502 or 504 when there was no answer. */
export async function relayAnswer(
  reply: FastifyReply,
  { status, headers, bytes }: UpstreamAnswer,
): Promise<FastifyReply> {
  if (typeof status === "string") {
    throw new ApiError(status === "timeout" ? "gateway.upstreamTimeout" : "gateway.upstreamFailed", status);
  }
  for (const name of kept) {
    const value = headers[name];
    if (value !== undefined) reply.header(name, value);
  }
  reply.code(status);
  return bytes.length === 0 ? reply.send() : reply.send(bytes);
}
