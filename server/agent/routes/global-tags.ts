// GET, POST, DELETE /v1/global/host/tags and /v1/global/election/tags (docs/reference/agent.md#global-tags): shows and
// changes the global tags.

import type { FastifyReply } from "fastify";
import { answerJson } from "../../http/answer.ts";
import { ApiError } from "../../http/errors.ts";
import type { Agent } from "../agent.ts";
import type { Tags } from "../ingest/global-tags.ts";
import type { Call, Route } from "../serving/route.ts";

type Kind = "host" | "election";

const getTags = (kind: Kind) => (agent: Agent, call: Call) =>
  answerJson(call.reply, { [`${kind}-tags`]: sorted(agent.tags[kind]) });

/** Sets tags: each query parameter is a tag. When a name occurs several times, its first value counts. */
const set = (kind: Kind) => (agent: Agent, call: Call) => {
  const tags: Record<string, string> = Object.create(null);
  for (const [name, value] of call.query) if (name !== "" && !(name in tags)) tags[name] = value;
  return change(agent, call, kind, { set: tags, remove: [] });
};

const remove = (kind: Kind) => (agent: Agent, call: Call) => {
  const names = (call.query.get("tags") ?? "").split(",").filter((name) => name !== "");
  return change(agent, call, kind, { set: {}, remove: names });
};

async function change(
  agent: Agent,
  call: Call,
  kind: Kind,
  asked: Parameters<Agent["tags"]["change"]>[1],
): Promise<FastifyReply> {
  const { tags, metrics } = agent;
  if (kind === "election" && !tags.electionEnabled) {
    throw new ApiError("agent.electionDisabled", "Can't use this command when global-election is false.");
  }
  const warning = tags.change(kind, asked);
  // Waits until the intake processes (further processes that accept writes) use the new tags, so that the next write
  // gets them in every process.
  await agent.intakes?.broadcast();
  metrics.tagsUpdated.set({ api: call.path, method: call.request.method, status: "OK" }, Date.now() / 1000);
  return answerJson(call.reply, {
    "gateway-tags": sorted(tags.gateway),
    "election-tags": sorted(tags.election),
    "host-tags": sorted(tags.host),
    ...(warning === undefined ? {} : { warning }),
  });
}

/** Returns the tags sorted by key, since the answer lists them in that order. */
function sorted(tags: Tags): Tags {
  return Object.fromEntries(Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const globalTags: readonly Route[] = (["host", "election"] as const).flatMap((kind) => {
  const url = `/v1/global/${kind}/tags`;
  return [
    { method: "GET", url, handle: getTags(kind) },
    { method: "POST", url, handle: set(kind) },
    { method: "DELETE", url, handle: remove(kind) },
  ] satisfies Route[];
});
