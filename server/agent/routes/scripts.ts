// GET and POST /v1/pipeline/scripts, POST /v1/pipeline/scripts/back (docs/reference/agent.md#scripts-list-and-save):
// lists the scripts of the agent, checks and saves a script, and restores the version that a script had before its last
// save.

import { type CategoryName, categories } from "../../../lib/point/index.ts";
import { answerContent } from "../../http/answer.ts";
import { isRecord, readJson } from "../../http/body/json-body.ts";
import { ApiError } from "../../http/errors.ts";
import { version } from "../../http/version.ts";
import type { Agent } from "../agent.ts";
import { nameFault } from "../scripts/script-names.ts";
import type { Call, Route } from "../serving/route.ts";

const url = "/v1/pipeline/scripts";
/** Largest size in bytes of a script that a client may save. */
const maxSavedBytes = 1024 * 1024;
/**
 * Largest size in bytes of the body of a request that saves a script. The body holds two versions of the script as
 * JSON, in which a character may take six bytes.
 */
const maxRequestBytes = 13 * 1024 * 1024;

const list: Route = {
  method: "GET",
  url,
  handle: async ({ scriptEdits, live, hostname, config }, { reply }) =>
    answerContent(reply, {
      version,
      host: hostname,
      may_save: scriptEdits.maySave,
      live_points: live.enabled,
      agents: config["http_api.playground_agents"],
      scripts: await scriptEdits.list(),
    }),
};

const save: Route = {
  method: "POST",
  url,
  handle: async (agent, call) => {
    const body = await bodyOf(agent, call);
    const change = { ...fileOf(body), content: contentOf(body), present: presentOf(body) };
    const onlyCheck = body.check_only ?? false;
    if (typeof onlyCheck !== "boolean") throw new ApiError("agent.invalidRequest", "check_only must be a boolean");
    const { scriptEdits } = agent;
    const errors = await (onlyCheck ? scriptEdits.check(change) : scriptEdits.save(change));
    if (!onlyCheck && errors.length === 0)
      agent.log.info(`script ${change.category}/${change.name} was saved by a client`);
    return answerContent(call.reply, { saved: !onlyCheck && errors.length === 0, errors });
  },
};

const back: Route = {
  method: "POST",
  url: `${url}/back`,
  handle: async (agent, call) => {
    const body = await bodyOf(agent, call);
    const change = { ...fileOf(body), present: presentOf(body) };
    await agent.scriptEdits.goBack(change);
    agent.log.info(`script ${change.category}/${change.name} went back to its version before, as a client asked`);
    return answerContent(call.reply, { saved: true, errors: [] });
  },
};

export const scripts: readonly Route[] = [list, save, back];

async function bodyOf({ budget }: Agent, { request }: Call): Promise<Record<string, unknown>> {
  const body = await readJson(request.raw, { budget, maxBytes: maxRequestBytes, code: "agent.invalidRequest" });
  if (!isRecord(body)) throw new ApiError("agent.invalidRequest", "a JSON object is needed");
  return body;
}

function fileOf({ category, name }: Record<string, unknown>): {
  readonly category: CategoryName;
  readonly name: string;
} {
  const known = categories.find((each) => each === category);
  if (known === undefined) throw new ApiError("agent.invalidCategory", "invalid category");
  if (typeof name !== "string") throw new ApiError("agent.invalidRequest", "name must be a string");
  const fault = nameFault(name);
  if (fault !== undefined) throw new ApiError("agent.invalidRequest", fault);
  return { category: known, name };
}

function contentOf({ content }: Record<string, unknown>): string {
  if (typeof content !== "string" || /\p{Surrogate}/u.test(content)) {
    throw new ApiError("agent.invalidRequest", "content must be a string of whole characters");
  }
  if (Buffer.byteLength(content) > maxSavedBytes) {
    throw new ApiError("agent.invalidRequest", `content is longer than ${maxSavedBytes} bytes`);
  }
  return content;
}

function presentOf({ present }: Record<string, unknown>): string | null | undefined {
  if (present === undefined || present === null || typeof present === "string") return present;
  throw new ApiError("agent.invalidRequest", "present must be a string or null");
}
