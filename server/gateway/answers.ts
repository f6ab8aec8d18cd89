// Sends the answer of a target (the server to which the gateway forwards a request) to the client.

import type { FastifyReply } from "fastify";
import { answer } from "../http/answer.ts";
import { ApiError } from "../http/errors.ts";
import { withoutSecrets } from "../outbound/masked-secrets.ts";
import type { UpstreamAnswer } from "../outbound/upstream.ts";
import type { Target } from "./targets.ts";

const kept = ["retry-after", "x-trace-id"];

export interface TargetAnswer {
  readonly target: Target;
  readonly answer: UpstreamAnswer;
}

/**
 * Sends the target's status and body to the client. In the body, the target's token is masked unless the client
 * sent this token. Throws an ApiError with status 502 or 504 when the target did not answer. The gateway asks
 * targets for uncompressed bodies. If a target compresses its body anyway, the body of a success is passed on
 * unchanged; the body of an error is left out, because a token in it cannot be masked.
 */
export async function relayAnswer(
  reply: FastifyReply,
  { target, answer: { status, headers, bytes } }: TargetAnswer,
  clientToken: string,
): Promise<FastifyReply> {
  if (typeof status === "string") {
    throw new ApiError(status === "timeout" ? "gateway.upstreamTimeout" : "gateway.upstreamFailed", status);
  }
  for (const name of kept) {
    const value = headers[name];
    if (value !== undefined) reply.header(name, value);
  }
  reply.code(status);
  const { "content-type": type = "application/octet-stream", "content-encoding": encoding } = headers;
  if (encoding !== undefined && status < 400) {
    return reply.headers({ "content-type": type, "content-encoding": encoding }).send(bytes);
  }
  if (encoding !== undefined || bytes.length === 0) return reply.send();
  const shown = withoutSecrets(bytes, status, target.token === clientToken ? "" : target.token);
  return await answer(reply, String(type), shown);
}
