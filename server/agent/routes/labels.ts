// POST and DELETE /v1/object/labels (docs/reference/agent.md#object-labels): passes the request to the gateway when one
// is configured; otherwise stores the labels of the object in the data folder.

import type { FastifyReply } from "fastify";
import { answerContent } from "../../http/answer.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { readJsonText } from "../../http/body/json-body.ts";
import { labelledObject, labelsOf } from "../../http/body/labelled-object.ts";
import { ApiError } from "../../http/errors.ts";
import type { Agent } from "../agent.ts";
import { TooManyObjects } from "../object-labels.ts";
import type { Call, Route } from "../serving/route.ts";
import { relay } from "./relay.ts";

const url = "/v1/object/labels";
const maxBytes = 1024 * 1024;
const code = "agent.invalidRequest";

async function put(agent: Agent, call: Call, held: Reservation): Promise<FastifyReply> {
  const body = await readJsonText(call.request.raw, held, { maxBytes, code });
  const object = labelledObject(body, code);
  const labels = labelsOf(body, code);
  if (agent.gateways !== undefined)
    return await relay(agent.gateways, call, { body: body.text, globalTags: agent.sharding?.header() });
  try {
    return await answerContent(call.reply, { _id: await agent.labels.put(object, labels) });
  } catch (error) {
    if (error instanceof TooManyObjects) throw new ApiError(code, error.message);
    throw error;
  }
}

async function remove(agent: Agent, call: Call, held: Reservation): Promise<FastifyReply> {
  const body = await readJsonText(call.request.raw, held, { maxBytes, code });
  const object = labelledObject(body, code);
  if (agent.gateways !== undefined)
    return await relay(agent.gateways, call, { body: body.text, globalTags: agent.sharding?.header() });
  await agent.labels.remove(object);
  return await answerContent(call.reply, { msg: "delete success!" });
}

export const labels: readonly Route[] = [
  {
    method: "POST",
    url,
    handle: (agent, call) => agent.budget.hold(call.request.raw, (held) => put(agent, call, held)),
  },
  {
    method: "DELETE",
    url,
    handle: (agent, call) => agent.budget.hold(call.request.raw, (held) => remove(agent, call, held)),
  },
];
