// POST /v1/write/:category (agent document, A.3).

import type { FastifyReply } from "fastify";
import { type CategoryName, categories } from "../../../lib/point/category.ts";
import { answer } from "../../http/answer.ts";
import { decompress, encodingOf, readBody } from "../../http/body.ts";
import { ApiError } from "../../http/errors.ts";
import { formOf } from "../../http/point-form.ts";
import { wallClock } from "../engine.ts";
import type { EchoForm } from "../protocol.ts";
import { rumTags } from "../rum-address.ts";
import type { Call, Route } from "./route.ts";

export const write: Route = {
  method: "POST",
  url: "/v1/write/:category",
  handle: async (agent, call) => {
    const { request, reply, query, contentType } = call;
    const category = categoryOfPath(call.path);
    const form = formOf(contentType);
    const storageIndex = category === "logging" ? storageIndexOf(query) : undefined;
    const encodingName = query.get("encoding") || String(request.headers["content-encoding"] ?? "");
    const cap = agent.config["http_api.max_body_bytes"];
    const held = agent.budget.reserve();
    // Given back when the request is over, however it ends.
    reply.raw.once("close", held.release);
    const sent = await readBody(request.raw, cap, held);
    if (sent.length === 0) throw new ApiError("agent.emptyBody");
    const encoding = encodingOf(encodingName);
    const body = await decompress(sent, encoding, cap, held);
    const label =
      ["v1-write", query.get("input") || "agent-http"].join(".") +
      (storageIndex === undefined ? "" : `.${storageIndex}`);
    const echo = echoOf(query);
    const echoed = await agent.feed(
      {
        body,
        encoding: encoding === "zstd" ? "zstd" : "",
        category,
        form,
        foreign: undefined,
        precision: query.get("precision") ?? "",
        strict: has(query, "strict"),
        echo,
        dry: has(query, "dry"),
        now: wallClock(),
        earlyTags: category === "rum" ? rumTags(request.raw, agent.config["http_api.rum_origin_ip_header"]) : [],
        electionTags: has(query, "global_election_tags"),
        hostTags: !has(query, "ignore_global_host_tags") && !has(query, "ignore_global_tags"),
        source: query.get("source") ?? "",
        label,
        storageIndex,
      },
      call,
    );
    return answerEcho(reply, echo, echoed);
  },
};

function categoryOfPath(path: string): CategoryName {
  const name = path.slice("/v1/write/".length);
  const category = categories.find((each) => each === name);
  if (category === undefined) throw new ApiError("agent.invalidCategory", `invalid URL "${path}"`);
  return category;
}

/** Only the presence of a text counts: `dry=false` is on, `dry=` is off. */
function has(query: Call["query"], name: string): boolean {
  return (query.get(name) ?? "") !== "";
}

function echoOf(query: Call["query"]): EchoForm | undefined {
  const echo = query.get("echo") ?? "";
  if (echo !== "") return echo === "lp" || echo === "json" || echo === "pbjson" ? echo : undefined;
  if (has(query, "echo_line_proto")) return "lp";
  return has(query, "echo_json") ? "json" : undefined;
}

export function storageIndexOf(query: Call["query"]): string | undefined {
  const name = query.get("storage_index") ?? "";
  if (name === "") return undefined;
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    throw new ApiError("agent.invalidStorageIndex", `invalid storage_index "${name}"`);
  return name;
}

async function answerEcho(
  reply: FastifyReply,
  form: EchoForm | undefined,
  echo: Uint8Array | undefined,
): Promise<FastifyReply> {
  if (echo === undefined || echo.length === 0) return reply.send();
  return await answer(reply, form === "lp" ? "text/plain; charset=utf-8" : "application/json", echo);
}
