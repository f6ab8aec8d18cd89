// POST and DELETE /v1/object/labels (agent document, A.4): kept here, or handed on where there is a gateway.

import { answerContent } from "../../http/answer.ts";
import { ApiError } from "../../http/errors.ts";
import { readJsonText } from "../../http/json-body.ts";
import { type LabelledObject, labelledObject, labelsOf } from "../../http/labelled-object.ts";
import type { Agent } from "../agent.ts";
import { TooManyObjects } from "../object-labels.ts";
import { relay } from "../relay.ts";
import type { Call, Route } from "./route.ts";

const url = "/v1/object/labels";
const maxBytes = 1024 * 1024;
const code = "agent.invalidRequest";

interface ReadObject {
  readonly object: Record<string, unknown> & LabelledObject;
  /** As it came. */
  readonly body: string;
}

async function readObject(agent: Agent, call: Call): Promise<ReadObject> {
  const { value, text } = await readJsonText(call.request.raw, { budget: agent.budget, maxBytes, code });
  return { object: labelledObject(value, code), body: text };
}

const post: Route = {
  method: "POST",
  url,
  handle: async (agent, call) => {
    const { object, body } = await readObject(agent, call);
    const labels = labelsOf(object, code);
    if (agent.gateways !== undefined)
      return await relay(agent.gateways, call, { body, globalTags: agent.sharding?.header() });
    try {
      return await answerContent(call.reply, { _id: await agent.labels.put(object, labels) });
    } catch (error) {
      if (error instanceof TooManyObjects) throw new ApiError(code, error.message);
      throw error;
    }
  },
};

const remove: Route = {
  method: "DELETE",
  url,
  handle: async (agent, call) => {
    const { object, body } = await readObject(agent, call);
    if (agent.gateways !== undefined)
      return await relay(agent.gateways, call, { body, globalTags: agent.sharding?.header() });
    await agent.labels.remove(object);
    return await answerContent(call.reply, { msg: "delete success!" });
  },
};

export const labels: readonly Route[] = [post, remove];
