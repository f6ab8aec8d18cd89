// GET /openapi/gateway-rules (docs/reference/agent.md#the-rules-of-the-gateway): returns the sharding rules that the
// agent's gateway has in force, and the agent's own shard keys. The agent's web page (the playground) applies the rules
// to sample points.

import type { FastifyReply } from "fastify";
import { shownText } from "../../../lib/text/index.ts";
import { answerContent } from "../../http/answer.ts";
import { isRecord, isTooDeep } from "../../http/body/json-body.ts";
import { ApiError } from "../../http/errors.ts";
import type { Agent } from "../agent.ts";
import type { Gateway, GatewayAnswer } from "../outputs/gateways.ts";
import type { Call, Route } from "../serving/route.ts";
import { isFailure } from "./relay.ts";

const rulesPath = "/v1/sinker/rules";
/**
 * Largest size in bytes of a gateway's answer that is accepted. A longer answer contains too many rules, or does not
 * come from a gateway at all.
 */
const maxBytes = 4 * 1024 * 1024;

async function giveRules(agent: Agent, { request, reply }: Call): Promise<FastifyReply> {
  // The gateway answers the agent because the agent's address is allowed. Other clients must not get this access
  // through the agent.
  if (!agent.openApi.mayUseOwnKey(request.raw))
    throw new ApiError("agent.publicAccessDisabled", "the rules of the gateway are for this machine only");
  const gateways = agent.gateways?.all ?? [];
  if (gateways.length === 0)
    throw new ApiError("agent.noGatewayRules", "this agent knows no gateway: [gateway] urls is empty");
  let last: ApiError | undefined;
  for (const gateway of gateways) {
    const answered = await gateway.call({ method: "GET", path: rulesPath });
    const rules = rulesOf(answered);
    if (typeof rules !== "string") {
      reply.header("cache-control", "no-store").header("cross-origin-resource-policy", "same-origin");
      return await answerContent(reply, { gateway: gateway.origin, ...rules, keys: agent.sharding?.keys() ?? [] });
    }
    last ??= new ApiError("agent.noGatewayRules", messageOf(gateway, answered, rules));
  }
  throw last!;
}

/** Returns the rules in a gateway's answer; when the answer has none, returns the reason. */
function rulesOf({ status, bytes }: GatewayAnswer): Readonly<Record<string, unknown>> | string {
  if (status !== 200) return "";
  if (bytes.length > maxBytes) return `with more than ${maxBytes} bytes`;
  if (isTooDeep(bytes)) return "with JSON that is nested too deep";
  try {
    const body: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (isRecord(body) && isRecord(body.content) && isRecord(body.content.sinks) && isRecord(body.content.tags)) {
      const { sinks, tags, match_mode } = body.content;
      return { sinks, tags, match_mode };
    }
  } catch {
    // The body of the answer is not JSON. The function then returns the same reason as for JSON that holds no rules.
  }
  return "with something else than rules";
}

function messageOf({ origin }: Gateway, answered: GatewayAnswer, reason: string): string {
  const { status } = answered;
  if (reason !== "") return `the agent sends its points to ${origin}, which answers ${reason}; is it a gateway?`;
  if (status === 403)
    return `the gateway ${origin} gives its rules to programs of its own machine only; list ${rulesPath} in its gateway_api.public_apis, or the network of this agent in its gateway_api.public_ips`;
  if (status === 404 || status === 405)
    return `the agent sends its points to ${origin}, which has no ${rulesPath}: it is not a gateway, or one of an older version`;
  if (isFailure(answered))
    return `the gateway ${origin} does not answer: ${shownText(answered.cause || String(status))}`;
  return `the gateway ${origin} answers with the status ${status}`;
}

export const gatewayRules: Route = { method: "GET", url: "/openapi/gateway-rules", handle: giveRules };
