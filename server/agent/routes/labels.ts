// POST and DELETE /v1/object/labels (agent document, A.4): kept here, or handed on where there is a gateway.

import { answerContent } from "../../http/answer.ts";
import { ApiError } from "../../http/errors.ts";
import { isRecord, readJson } from "../../http/json-body.ts";
import type { Agent } from "../agent.ts";
import { type LabelledObject, TooManyObjects } from "../object-labels.ts";
import { relay } from "../relay.ts";
import type { Call, Route } from "./route.ts";

const url = "/v1/object/labels";
const maxBytes = 1024 * 1024;

async function readObject(agent: Agent, call: Call): Promise<Record<string, unknown> & LabelledObject> {
  const code = "agent.invalidRequest";
  const body = await readJson(call.request.raw, { budget: agent.budget, maxBytes, code });
  if (!isRecord(body)) throw new ApiError(code, "an object is expected");
  for (const name of ["object_class", "object_name", "key"]) {
    if (typeof body[name] !== "string") throw new ApiError(code, `${name} must be a string`);
  }
  return body as Record<string, unknown> & LabelledObject;
}

const post: Route = {
  method: "POST",
  url,
  handle: async (agent, call) => {
    const body = await readObject(agent, call);
    const { labels } = body;
    if (!Array.isArray(labels) || !labels.every((label) => typeof label === "string")) {
      throw new ApiError("agent.invalidRequest", "labels must be a list of strings");
    }
    if (agent.gateways !== undefined)
      return await relay(agent.gateways, call, { body, globalTags: agent.sharding?.header() });
    try {
      return await answerContent(call.reply, { _id: await agent.labels.put(body, labels) });
    } catch (error) {
      if (error instanceof TooManyObjects) throw new ApiError("agent.invalidRequest", error.message);
      throw error;
    }
  },
};

const remove: Route = {
  method: "DELETE",
  url,
  handle: async (agent, call) => {
    const body = await readObject(agent, call);
    if (agent.gateways !== undefined)
      return await relay(agent.gateways, call, { body, globalTags: agent.sharding?.header() });
    await agent.labels.remove(body);
    return await answerContent(call.reply, { msg: "delete success!" });
  },
};

export const labels: readonly Route[] = [post, remove];
