// Hands a request on to the first gateway that answers and gives its answer back, status and body without the token of this agent.

import type { FastifyReply } from "fastify";
import { headerName, toHeaderBytes } from "../../../lib/sharding/header.ts";
import { answer } from "../../http/answer.ts";
import { ApiError } from "../../http/errors.ts";
import { withoutSecrets } from "../../outbound/masked-secrets.ts";
import type { GatewayAnswer, Gateways } from "../outputs/gateways.ts";
import type { Call } from "../serving/route.ts";

export interface Relayed {
  /** JSON. */
  readonly body?: string;
  /** Added to the query of the configured URL. */
  readonly query?: Readonly<Record<string, string>>;
  /** Value of X-Global-Tags; without it there is no such header. */
  readonly globalTags?: string | undefined;
}

/** Whether a gateway has failed: the next one is asked. */
export function isFailure({ status }: GatewayAnswer): boolean {
  return typeof status === "string" || status >= 500;
}

/** The answer of the first gateway that does not fail, else that of the last one. `isFinal`: no other gateway would answer better. */
export async function askGateways(
  gateways: Gateways,
  call: Call,
  { body: json, query = {}, globalTags }: Relayed,
  isFinal: (answer: GatewayAnswer) => boolean = () => false,
): Promise<GatewayAnswer> {
  const body = json === undefined ? undefined : Buffer.from(json);
  const { method } = call.request;
  let last: GatewayAnswer | undefined;
  for (const gateway of gateways.all) {
    const answered = await gateway.call({
      method,
      path: call.path,
      query,
      headers: {
        ...(globalTags === undefined ? {} : { [headerName]: toHeaderBytes(globalTags) }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const { bytes, status } = answered;
    last = { ...answered, bytes: withoutSecrets(bytes, typeof status === "string" ? 0 : status, gateway.token) };
    if (!isFailure(last) || isFinal(last)) break;
  }
  return last!;
}

/** Throws when the gateway has failed. */
export async function giveBack(call: Call, answered: GatewayAnswer): Promise<FastifyReply> {
  const { status, contentType, bytes } = answered;
  if (typeof status === "string" || isFailure(answered)) throw new ApiError("agent.allRetryFailed");
  call.reply.code(status).header("x-content-type-options", "nosniff");
  return await answer(call.reply, contentType || "application/json", bytes);
}

export async function relay(gateways: Gateways, call: Call, relayed: Relayed): Promise<FastifyReply> {
  return await giveBack(call, await askGateways(gateways, call, relayed));
}
