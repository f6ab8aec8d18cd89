// Passes a request to the first gateway that answers, and returns the status and body of the answer. Removes the
// gateway's token from the body.

import type { FastifyReply } from "fastify";
import { headerName, toHeaderBytes } from "../../../lib/sharding/index.ts";
import { answer } from "../../http/answer.ts";
import { ApiError } from "../../http/errors.ts";
import { withoutSecrets } from "../../outbound/masked-secrets.ts";
import type { GatewayAnswer, Gateways } from "../outputs/gateways.ts";
import type { Call } from "../serving/route.ts";

export interface Relayed {
  /** Body of the request to the gateway, as JSON text. */
  readonly body?: string;
  /** Parameters that are added to the query of the gateway's configured URL. */
  readonly query?: Readonly<Record<string, string>>;
  /** Value of the header X-Global-Tags; undefined when the request has no such header. */
  readonly globalTags?: string | undefined;
}

/** Returns whether the answer means that the gateway has failed. If so, the next gateway is asked. */
export function isFailure({ status }: GatewayAnswer): boolean {
  return typeof status === "string" || status >= 500;
}

/**
 * Asks one gateway after the other. Returns the answer of the first one that does not fail; when all fail, the last
 * answer. When `isFinal` returns true for the answer of a failed gateway, no other gateway is asked.
 */
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

/** Sends a gateway's answer to the client. Throws ApiError when the gateway has failed. */
export async function giveBack(call: Call, answered: GatewayAnswer): Promise<FastifyReply> {
  const { status, contentType, bytes } = answered;
  if (typeof status === "string" || isFailure(answered)) throw new ApiError("agent.allRetryFailed");
  call.reply.code(status).header("x-content-type-options", "nosniff");
  return await answer(call.reply, contentType || "application/json", bytes);
}

export async function relay(gateways: Gateways, call: Call, relayed: Relayed): Promise<FastifyReply> {
  return await giveBack(call, await askGateways(gateways, call, relayed));
}
