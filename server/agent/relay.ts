// Hands a request on to the first gateway that answers and gives its answer back, status and body without the token of this agent.

import type { FastifyReply } from "fastify";
import { headerName, toHeaderBytes } from "../../lib/sharding/header.ts";
import { answer } from "../http/answer.ts";
import { ApiError } from "../http/errors.ts";
import { withoutSecrets } from "../http/secrets.ts";
import type { Gateways } from "./gateways.ts";
import type { Call } from "./routes/route.ts";

export interface Relayed {
  /** JSON. */
  readonly body?: string;
  /** Added to the query of the configured URL. */
  readonly query?: Readonly<Record<string, string>>;
  /** Value of X-Global-Tags; without it there is no such header. */
  readonly globalTags?: string | undefined;
}

export async function relay(gateways: Gateways, call: Call, relayed: Relayed): Promise<FastifyReply> {
  const { query = {}, globalTags } = relayed;
  const body = relayed.body === undefined ? undefined : Buffer.from(relayed.body);
  const { method } = call.request;
  for (const gateway of gateways.all) {
    const { status, contentType, bytes } = await gateway.call({
      method,
      path: call.path,
      query,
      headers: {
        ...(globalTags === undefined ? {} : { [headerName]: toHeaderBytes(globalTags) }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
    if (typeof status === "string" || status >= 500) continue;
    call.reply.code(status).header("x-content-type-options", "nosniff");
    const shown = withoutSecrets(bytes, status, gateway.token);
    return await answer(call.reply, contentType || "application/json", shown);
  }
  throw new ApiError("agent.allRetryFailed");
}
