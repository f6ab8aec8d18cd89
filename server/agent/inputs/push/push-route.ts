// Makes the routes of a protocol: checks the token of a request, and answers refused requests in the format of the
// protocol.

import type { FastifyReply } from "fastify";
import { shortenedText } from "../../../../lib/text/index.ts";
import { ApiError } from "../../../http/errors.ts";
import type { Agent } from "../../agent.ts";
import type { Call, Route } from "../../serving/route.ts";
import { isOn, type Push, type PushAnswer, PushRefusal, type Refused, tokenOf } from "./push.ts";
import { checkToken } from "./token.ts";

export interface PushRouteOptions extends Pick<Route, "method" | "url" | "isFor"> {
  /** Whether requests to the route need no token. For example, a health check needs none. */
  readonly isOpen?: boolean;
  readonly answer: (agent: Agent, call: Call) => PushAnswer | Promise<PushAnswer>;
}

export function pushRoute(push: Push, { isOpen = false, answer, ...route }: PushRouteOptions): Route {
  return {
    ...route,
    isOn: (config) => isOn(push, config),
    handle: async (agent, call) => {
      try {
        if (!isOpen) checkToken(call, tokenOf(push, agent.config));
        return sendPush(call.reply, await answer(agent, call));
      } catch (error) {
        const refused = refusedBy(error, call.path);
        if (refused === undefined) throw error;
        agent.metrics.pushRefused.inc({ input: push.name, status: String(refused.status) });
        return sendPush(call.reply, push.refusal(refused));
      }
    },
  };
}

/** Converts an error to a refusal of the request; returns undefined for an unexpected error. */
function refusedBy(error: unknown, path: string): Refused | undefined {
  if (error instanceof PushRefusal) {
    const { kind, status, message, detail } = error;
    return { kind, status, message: shortenedText(message), path, headers: {}, detail };
  }
  if (!(error instanceof ApiError)) return undefined;
  const { code, status, message, headers } = error;
  const kind = code === "agent.emptyBody" || code === "agent.noPoints" ? "no data" : "request";
  return { kind, status, message: message === "" ? messageOf(code) : message, path, headers, code };
}

/** Returns the message for an error that has a code but no message of its own. */
function messageOf(code: ApiError["code"]): string {
  switch (code) {
    case "agent.emptyBody":
      return "the request has no body";
    case "agent.noPoints":
      return "the body holds no data";
    case "agent.decodeBodyFailed":
      return "the body cannot be decompressed; Content-Encoding may be gzip, deflate, br or zstd";
    default:
      return code;
  }
}

export function sendPush(reply: FastifyReply, { status, body, contentType, headers = {} }: PushAnswer): FastifyReply {
  reply.code(status).headers({ ...headers, "x-content-type-options": "nosniff" });
  if (body === undefined) return reply.send();
  reply.header("content-type", contentType ?? "application/json");
  return reply.send(typeof body === "string" ? Buffer.from(body) : body);
}
