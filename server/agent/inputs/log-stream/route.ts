// POST /v1/write/logstreaming (docs/reference/agent.md#log-streams): accepts logs as lines of text, as JSON, in line
// protocol or as records of a log router (Firelens). The answer to a body that cannot be parsed has the status 400 and
// an empty body.

import type { IncomingMessage } from "node:http";
import { answerJson } from "../../../http/answer.ts";
import type { Reservation } from "../../../http/body/inflight.ts";
import { ApiError } from "../../../http/errors.ts";
import { headerOf, peerAddress } from "../../../http/guards/client.ts";
import type { Agent } from "../../agent.ts";
import type { ExtraTag } from "../../ingest/write-request.ts";
import type { Call, Route } from "../../serving/route.ts";
import type { Input } from "../input.ts";
import { receiveBody, usualRequest } from "../receive-body.ts";
import { precisionOf, storageIndexOf } from "../write-query.ts";
import { type LogConversion, logConverter } from "./converter.ts";

const label = "logstreaming";

const logStreaming: Route = {
  method: "POST",
  url: "/v1/write/logstreaming",
  handle: async (agent, call) => {
    try {
      await agent.budget.hold(call.request.raw, (held) => take(agent, call, held));
    } catch (error) {
      agent.inputs.refused(label, "logging", error);
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      agent.log.warn(`log stream refused: ${error.code} ${error.message}`);
      return call.reply.code(400).send();
    }
    return await answerJson(call.reply, { status: "success" });
  },
};

export const logStream: Input = { name: "log streams", routes: [logStreaming], converter: logConverter };

async function take({ config, ingest, admission, now }: Agent, call: Call, held: Reservation): Promise<void> {
  const { request, query } = call;
  const type = query.get("type") ?? "";
  const isLineProtocol = type === "influxdb";
  const measurement = query.get("source") || "default";
  const kind = kindOf(type, call.contentType);
  const conversion: LogConversion | undefined = isLineProtocol
    ? undefined
    : { converter: "logs", kind, measurement, isCounted: kind !== "json" };
  const precision = isLineProtocol ? precisionOf(query.get("precision") ?? "") : "n";
  const points = {
    category: "logging",
    form: isLineProtocol ? "lp" : "json",
    conversion,
    source: (query.get("pipeline") ?? "").replace(/\.p$/, ""),
    matchesByName: true,
  } as const;
  const received = await receiveBody(
    admission,
    request.raw,
    {
      ...points,
      cap: config["http_api.max_body_bytes"],
      compression: headerOf(request.raw, "content-encoding"),
    },
    held,
    call,
  );
  if (received === undefined) throw new ApiError("agent.emptyBody");
  const urlTags: ExtraTag[] = config["logstreaming.ignore_url_tags"]
    ? []
    : [
        ["service", query.get("service") || measurement],
        ["ip_or_hostname", clientOf(request.raw)],
      ];
  await ingest(
    {
      ...usualRequest,
      ...points,
      ...received,
      precision,
      now: now(),
      earlyTags: [...tagsOf(query.get("tags") ?? ""), ...urlTags],
      label,
      storageIndex: storageIndexOf(query.get("storage_index") ?? ""),
    },
    call,
  );
}

function kindOf(type: string, contentType: string): "lines" | "json" | "firelens" {
  if (type === "firelens") return "firelens";
  return isJson.test(contentType) ? "json" : "lines";
}

/**
 * Matches the content types of JSON and of JSON lines: `application/json`, `application/x-ndjson`, `application/jsonl`,
 * `application/x-json-stream`.
 */
const isJson = /^[^;]*[/+-](?:nd)?json(?:l|-stream|-lines)?\s*(?:;|$)/i;

/** Parses tags written as `a=b,c=d`. Skips parts that have no key or no `=`. */
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
