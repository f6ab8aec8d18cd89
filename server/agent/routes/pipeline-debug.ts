// POST /v1/pipeline/debug (docs/reference/agent.md#script-debugging): runs a script over sample points and returns the
// results.

import type { FastifyReply } from "fastify";
import { type CategoryName, categories } from "../../../lib/point/index.ts";
import { formatDuration } from "../../config/go-duration.ts";
import { answer } from "../../http/answer.ts";
import { decompressInTurns, encodingOf, readBody } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { isRecord, isTooDeep } from "../../http/body/json-body.ts";
import { ApiError, safeJson } from "../../http/errors.ts";
import type { Agent } from "../agent.ts";
import { debugScripts } from "../debug/debug.ts";
import { wallClock } from "../engine.ts";
import type { Call, Route } from "../serving/route.ts";

export const pipelineDebug: Route = {
  method: "POST",
  url: "/v1/pipeline/debug",
  handle: (agent, call) => agent.budget.hold(call.request.raw, (held) => debug(agent, call, held)),
};

async function debug(agent: Agent, call: Call, held: Reservation): Promise<FastifyReply> {
  const { request, reply } = call;
  const cap = agent.config["http_api.max_body_bytes"];
  const sent = await readBody(request.raw, cap, held);
  const encoding = encodingOf(String(request.headers["content-encoding"] ?? ""));
  const asked = parseRequest(await decompressInTurns(sent, encoding, cap, held, call));
  const outcome = await debugScripts(
    {
      ...asked,
      wasm: agent.wasm,
      deadlineMs: agent.debugDeadlineMs,
      maxBytes: agent.config["pipeline.max_bytes_per_point"],
      now: wallClock(),
      environment: agent.debugEnvironment,
      patterns: agent.patterns(),
      tables: agent.tables(),
      hostTags: agent.tags.forWrite(false, true),
    },
    call.signal,
  );
  const cost = outcome.costNs === undefined ? "" : formatDuration(outcome.costNs);
  const errors = outcome.scriptError === undefined ? [] : [outcome.scriptError];
  reply.header("x-content-type-options", "nosniff");
  return await answer(
    reply,
    "application/json",
    `{"content":{"cost":${JSON.stringify(cost)},"benchmark":${JSON.stringify(outcome.benchmark)},` +
      `"pl_errors":${safeJson(errors)},"plresults":[${outcome.results.join(",")}]}}`,
  );
}

/** Parses and checks a request. Checks the body first, then the category, then the scripts. Throws ApiError. */
function parseRequest(body: Uint8Array) {
  const request = parseJson(body);
  const { category, script_name: scriptName } = request;
  if (!isCategory(category)) throw new ApiError("agent.invalidCategory", "invalid category");
  const scripts = (request.pipeline as Record<string, Record<string, string> | null> | null | undefined)?.[category];
  if (scripts === undefined || scripts === null || typeof scriptName !== "string" || !holds(scripts, scriptName)) {
    throw new ApiError("agent.invalidPipeline", "invalid pipeline");
  }
  return {
    category,
    scriptName,
    scripts,
    data: (request.data ?? []) as string[],
    dataType: (request.data_type ?? "") as string,
    encode: (request.encode ?? "") as string,
    benchmark: request.benchmark === true,
  };
}

/**
 * Returns whether the request contains a script of the given name. The suffix `.p` may be missing in `name` or in the
 * request.
 */
function holds(scripts: Record<string, string>, name: string): boolean {
  const bare = name.replace(/\.p$/, "");
  return Object.hasOwn(scripts, bare) || Object.hasOwn(scripts, `${bare}.p`);
}

function isCategory(name: unknown): name is CategoryName {
  return categories.some((each) => each === name);
}

/** Parses a JSON object and checks the types of its members. Throws ApiError. */
function parseJson(body: Uint8Array): Record<string, unknown> {
  let value: unknown;
  if (isTooDeep(body)) throw new ApiError("agent.invalidRequest", "nested too deep");
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    throw new ApiError("agent.invalidRequest", (error as Error).message);
  }
  if (!isRecord(value)) throw new ApiError("agent.invalidRequest", "a JSON object is needed");
  for (const [name, is, what] of members) {
    const member = value[name];
    if (member !== undefined && member !== null && !is(member)) {
      throw new ApiError("agent.invalidRequest", `${name} must be ${what}`);
    }
  }
  return value;
}

const isText = (value: unknown) => typeof value === "string";
const isScriptMap = (value: unknown) =>
  isRecord(value) &&
  Object.values(value).every((map) => map === null || (isRecord(map) && Object.values(map).every(isText)));

const members: readonly [name: string, is: (value: unknown) => boolean, what: string][] = [
  ["pipeline", isScriptMap, "an object of category to script name to base64"],
  ["script_name", isText, "a string"],
  ["category", isText, "a string"],
  ["data", (value) => Array.isArray(value) && value.every(isText), "an array of strings"],
  ["data_type", isText, "a string"],
  ["encode", isText, "a string"],
  ["benchmark", (value) => typeof value === "boolean", "a boolean"],
];
