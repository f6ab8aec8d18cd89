// POST /v1/write/logstreaming (docs/reference/agent.md#log-streams): text lines, JSON, line protocol or router records as logs. A body that is
// not taken is answered 400 without a text.

import type { IncomingMessage } from "node:http";
import { answerJson } from "../../http/answer.ts";
import { encodingOf, readBody } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { headerOf, peerAddress } from "../../http/guards/client.ts";
import type { Agent } from "../agent.ts";
import { plainBody } from "../ingest/admission.ts";
import { precisionOf, storageIndexOf } from "../ingest/query.ts";
import type { ExtraTag, ForeignBody } from "../write-messages.ts";
import type { Call, Route } from "./route.ts";

const label = "logstreaming";

export const logStreaming: Route = {
  method: "POST",
  url: "/v1/write/logstreaming",
  handle: async (agent, call) => {
    try {
      await agent.budget.hold(call.request.raw, (held) => feed(agent, call, held));
    } catch (error) {
      agent.inputs.refused(label, "logging", error);
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      agent.log.warn(`log stream refused: ${error.code} ${error.message}`);
      return call.reply.code(400).send();
    }
    return await answerJson(call.reply, { status: "success" });
  },
};

async function feed({ config, feed, admission, now }: Agent, call: Call, held: Reservation): Promise<void> {
  const { request, query } = call;
  const cap = config["http_api.max_body_bytes"];
  const type = query.get("type") ?? "";
  const source = query.get("source") || "default";
  const foreign: ForeignBody | undefined =
    type === "influxdb" ? undefined : { kind: kindOf(type, call.contentType), source };
  const precision = type === "influxdb" ? precisionOf(query.get("precision") ?? "") : "n";
  const points = {
    category: "logging",
    form: type === "influxdb" ? "lp" : "json",
    foreign,
    source: (query.get("pipeline") ?? "").replace(/\.p$/, ""),
    matchesByName: true,
  } as const;
  if (admission.isFull) await admission.admit(request.raw, { ...points, encoding: "" });
  const sent = await readBody(request.raw, cap, held);
  if (sent.length === 0) throw new ApiError("agent.emptyBody");
  const encoding = encodingOf(headerOf(request.raw, "content-encoding"));
  const storageIndex = storageIndexOf(query.get("storage_index") ?? "");
  await feed(
    {
      ...points,
      sentBytes: sent.length,
      body: await plainBody(admission, { bytes: sent, encoding, form: points.form, cap }, held, call),
      encoding: encoding === "zstd" ? "zstd" : "",
      precision,
      strict: false,
      echo: undefined,
      dry: false,
      now: now(),
      earlyTags: [
        ...tagsOf(query.get("tags") ?? ""),
        ...(config["logstreaming.ignore_url_tags"]
          ? []
          : ([
              ["service", query.get("service") || source],
              ["ip_or_hostname", clientOf(request.raw)],
            ] satisfies ExtraTag[])),
      ],
      electionTags: false,
      hostTags: true,
      label,
      storageIndex,
    },
    call,
  );
}

function kindOf(type: string, contentType: string): "lines" | "json" | "firelens" {
  if (type === "firelens") return "firelens";
  return isJson.test(contentType) ? "json" : "lines";
}

/** `application/json`, and the names that JSON lines go by: `application/x-ndjson`, `application/jsonl`, `application/x-json-stream`. */
const isJson = /^[^;]*[/+-](?:nd)?json(?:l|-stream|-lines)?\s*(?:;|$)/i;

/** `a=b,c=d`; a part that is not of that form is left out. */
function tagsOf(text: string): ExtraTag[] {
  return text.split(",").flatMap((part): ExtraTag[] => {
    const at = part.indexOf("=");
    return at > 0 ? [[part.slice(0, at).trim(), part.slice(at + 1).trim()]] : [];
  });
}

function clientOf(request: IncomingMessage): string {
  const forwarded = headerOf(request, "x-forwarded-for").split(",")[0].trim();
  return forwarded || headerOf(request, "x-real-ip") || peerAddress(request);
}
