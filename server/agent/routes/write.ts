// POST /v1/write/:category (agent document, A.3).

import type { IncomingMessage, ServerResponse } from "node:http";
import type { CategoryName } from "../../../lib/point/category.ts";
import { encodingOf, readBody } from "../../http/body.ts";
import type { Ending } from "../../http/ending.ts";
import { ApiError } from "../../http/errors.ts";
import type { Reservation } from "../../http/inflight.ts";
import { formOf } from "../../http/point-form.ts";
import type { WriteAgent } from "../agent.ts";
import { plainBody } from "../write/admission.ts";
import type { EchoForm } from "../write/protocol.ts";
import { browserAddress } from "../write/rum-address.ts";
import type { Route } from "./route.ts";

/** The categories that there are never come here: ../write/front.ts takes them. */
export const write: Route = {
  method: "POST",
  url: "/v1/write/:category",
  handle: async (_agent, { path }) => {
    throw new ApiError("agent.invalidCategory", `invalid URL "${path}"`);
  },
};

const usualLabel = "v1-write.agent-http";

/** A write that has passed the guards. */
export interface WriteCall {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly category: CategoryName;
  /** First occurrences count. */
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly ending: Ending;
}

export interface Echo {
  readonly form: EchoForm | undefined;
  readonly bytes: Uint8Array;
}

/** Resolves when the points are kept; undefined: an empty answer. */
export function takeWrite(agent: WriteAgent, call: WriteCall): Promise<Echo | undefined> {
  return agent.budget.hold((held) => takeHeld(agent, call, held));
}

async function takeHeld(agent: WriteAgent, call: WriteCall, held: Reservation): Promise<Echo | undefined> {
  const { raw, category, query, contentType } = call;
  const form = formOf(contentType);
  const storageIndex = category === "logging" ? storageIndexOf(query) : undefined;
  const encodingName = query.get("encoding") || String(raw.headers["content-encoding"] ?? "");
  const source = query.get("source") ?? "";
  if (agent.admission.isFull) {
    const encoding = encodingName === "zstd" ? "zstd" : "";
    await agent.admission.admit(raw, { category, form, foreign: undefined, encoding, source });
  }
  const cap = agent.config["http_api.max_body_bytes"];
  const sent = await readBody(raw, cap, held);
  if (sent.length === 0) throw new ApiError("agent.emptyBody");
  const encoding = encodingOf(encodingName);
  const compressed = { bytes: sent, encoding, form, cap };
  const body = encoding === "" ? sent : await plainBody(agent.admission, compressed, held, call.ending);
  const input = query.get("input") ?? "";
  const from = input === "" ? usualLabel : `v1-write.${input}`;
  const label = storageIndex === undefined ? from : `${from}.${storageIndex}`;
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
      now: agent.now(),
      earlyTags: [],
      ...(category === "rum"
        ? { browserAddress: browserAddress(raw, agent.config["http_api.rum_origin_ip_header"]) }
        : {}),
      electionTags: has(query, "global_election_tags"),
      hostTags: !has(query, "ignore_global_host_tags") && !has(query, "ignore_global_tags"),
      source,
      label,
      storageIndex,
    },
    call.ending,
  );
  return echoed === undefined || echoed.length === 0 ? undefined : { form: echo, bytes: echoed };
}

/** Only the presence of a text counts: `dry=false` is on, `dry=` is off. */
function has(query: URLSearchParams, name: string): boolean {
  return (query.get(name) ?? "") !== "";
}

function echoOf(query: URLSearchParams): EchoForm | undefined {
  const echo = query.get("echo") ?? "";
  if (echo !== "") return echo === "lp" || echo === "json" || echo === "pbjson" ? echo : undefined;
  if (has(query, "echo_line_proto")) return "lp";
  return has(query, "echo_json") ? "json" : undefined;
}

export function storageIndexOf(query: URLSearchParams): string | undefined {
  const name = query.get("storage_index") ?? "";
  if (name === "") return undefined;
  if (!/^[a-z][a-z0-9_]*$/.test(name))
    throw new ApiError("agent.invalidStorageIndex", `invalid storage_index "${name}"`);
  return name;
}
