// PUT and DELETE /v1/sourcemap, GET /v1/sourcemap/check (docs/reference/agent.md#source-maps): stores, removes and
// checks archives of source maps. Every answer has the status 200; its body tells whether the request succeeded.

import type { FastifyReply } from "fastify";
import { shortenedText } from "../../../lib/text/index.ts";
import { answer } from "../../http/answer.ts";
import { readBody } from "../../http/body/body.ts";
import { formDataOf } from "../../http/body/form-data.ts";
import { ApiError, safeJson } from "../../http/errors.ts";
import { isSameToken } from "../../http/guards/token.ts";
import type { Agent } from "../agent.ts";
import type { Call, Route } from "../serving/route.ts";
import { type Application, isTraversal, type Platform, platforms } from "../source-maps/names.ts";

const url = "/v1/sourcemap";
const maxUploadBytes = 100 * 1024 * 1024;
const isOn: Route["isOn"] = (config) => config["rum.enable"];

/** Thrown when a request is refused. The message becomes the member `errorMsg` of the answer. */
class Refused extends Error {}

const put: Route = {
  method: "PUT",
  url,
  isOn,
  handle: (agent, call) =>
    answering(call.reply, async () => {
      const file = target(agent, call);
      await agent.budget.hold(call.request.raw, async (held) => {
        const content = await fileOf(call, await upload(call, held));
        const check = async (part: string) => {
          const { refusal } = await agent.checkArchive(part, call.signal);
          if (refusal !== undefined) throw new Refused(`source map file [${file}] is refused: ${refusal}`);
        };
        await agent.sourceMaps.put(file, content, check).catch((error: NodeJS.ErrnoException) => {
          if (error instanceof Refused || error instanceof ApiError) throw error;
          const step = error.syscall === "write" ? "write" : "create";
          throw new Refused(`${step} sourcemap file [${file}] failed: ${error.message}`);
        });
      });
      return `uploaded to [${file}]!`;
    }),
};

const remove: Route = {
  method: "DELETE",
  url,
  isOn,
  handle: (agent, call) =>
    answering(call.reply, async () => {
      const file = target(agent, call);
      await agent.sourceMaps.remove(file).catch((error: NodeJS.ErrnoException) => {
        const reason = error.code === "ENOENT" ? `remove ${file}: no such file or directory` : error.message;
        throw new Refused(`delete sourcemap file [${file}] failed: ${reason}`);
      });
      return `deleted [${file}]!`;
    }),
};

const check: Route = {
  method: "GET",
  url: `${url}/check`,
  isOn,
  handle: async (agent, { query, reply, signal }) => {
    const stack = query.get("error_stack") ?? "";
    const application = applicationOf(query);
    const asked = query.get("platform") ?? "";
    const platform = platforms.find((each) => each === asked) ?? "web";
    let resolved = stack;
    let failure = "";
    if (application.appId === "") failure = "app_id not found";
    else if (stack === "") failure = "error_stack not found";
    else if (isTraversal(application)) failure = traversal(agent, platform, application);
    else {
      const outcome = await agent.resolveStack({ platform, application, stack }, signal);
      if ("failure" in outcome) failure = outcome.failure;
      else if (outcome.stack === stack) failure = nothingResolved;
      else resolved = outcome.stack;
    }
    const content = { error_stack: resolved, original_error_stack: stack };
    return await answer(reply, "application/json;charset=utf-8", outcomeBody(content, failure));
  },
};

const nothingResolved =
  "nothing of the error stack was resolved: it has no frame with a file, a line and a column, or no map changes one";

export const sourceMaps: readonly Route[] = [put, remove, check];

async function answering(reply: FastifyReply, work: () => Promise<string>): Promise<FastifyReply> {
  try {
    return await answer(reply, "application/json", outcomeBody(await work(), ""));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return await answer(reply, "application/json", outcomeBody(null, error.message));
  }
}

function outcomeBody(content: unknown, errorMsg: string): string {
  return safeJson({ content, errorMsg: shortenedText(errorMsg), success: errorMsg === "" });
}

/**
 * Returns the path of the archive that the query names. Throws Refused. Checks the token before `app_id` and
 * `platform`, because clients rely on this order.
 */
function target(agent: Agent, { query }: Call): string {
  if (agent.gateways === undefined) throw new Refused("invalid token: gateway is not initialized");
  const { token } = agent.gateways.all[0];
  if (token === "") throw new Refused("invalid token: gateway token is not set");
  if (!isSameToken(query.get("token") ?? "", token))
    throw new Refused("invalid token: token is missing or not correct");
  const application = applicationOf(query);
  if (application.appId === "") throw new Refused("app_id not found");
  const asked = query.get("platform") || "web";
  const platform = platforms.find((each) => each === asked);
  if (platform === undefined) {
    throw new Refused(`platform [${asked}] not supported, please use web, miniapp, android or ios`);
  }
  if (isTraversal(application)) throw new Refused(traversal(agent, platform, application));
  return agent.sourceMaps.pathOf(platform, application);
}

function traversal({ sourceMaps }: Agent, platform: Platform, application: Application): string {
  const file = sourceMaps.pathOf(platform, application);
  return `invalid file name [${file}], should not contain illegal char, such as  '../, /'`;
}

function applicationOf(query: Call["query"]): Application {
  return {
    appId: query.get("app_id") ?? "",
    env: query.get("env") ?? "",
    version: query.get("version") ?? "",
  };
}

async function upload({ request, contentType }: Call, held: Parameters<typeof readBody>[2]): Promise<Uint8Array> {
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType)) {
    throw new Refused("request Content-Type isn't multipart/form-data");
  }
  try {
    return await readBody(request.raw, maxUploadBytes, held);
  } catch (error) {
    if (error instanceof ApiError && error.code === "agent.bodyTooLarge") {
      throw new Refused("http: request body too large");
    }
    throw error;
  }
}

/** Returns the content of the form's part named `file`. Throws Refused. */
async function fileOf({ contentType }: Call, body: Uint8Array): Promise<Uint8Array> {
  let part: unknown;
  try {
    const form = await formDataOf(body, contentType);
    part = form.get("file");
  } catch (error) {
    throw new Refused((error as Error).message);
  }
  if (!(part instanceof Blob)) throw new Refused("http: no such file");
  return new Uint8Array(await part.arrayBuffer());
}
