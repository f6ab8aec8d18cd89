// The routes of Splunk's HTTP Event Collector (docs/inputs.md#splunk-hec).

import { isRecord, readJson } from "../../../http/body/json-body.ts";
import { safeJson } from "../../../http/errors.ts";
import { headerOf } from "../../../http/guards/client.ts";
import type { Agent } from "../../agent.ts";
import type { Call, Route } from "../../serving/route.ts";
import type { Input } from "../input.ts";
import { type PushAnswer, PushRefusal } from "../push/push.ts";
import { noteInMetrics } from "../push/push-metrics.ts";
import { pushRoute } from "../push/push-route.ts";
import { pointGrowth, takePush } from "../push/take-push.ts";
import { type HecConversion, hecConverter } from "./converter.ts";
import { hecAnswers, splunkHecPush } from "./splunk-hec.ts";

/**
 * The next ackId, a number by which a client asks whether its request is stored. Counts up from the start time of the
 * process in microseconds, so that ids of an earlier process are not used again. JavaScript numbers hold such ids
 * exactly until the year 2255.
 */
let nextAckId = Date.now() * 1000;

async function collect(agent: Agent, call: Call, isRaw: boolean): Promise<PushAnswer> {
  const { query } = call;
  const givesAck = agent.config["inputs.splunk_hec.ack"];
  if (givesAck && channelOf(call) === "") {
    throw new PushRefusal(400, "send the header X-Splunk-Request-Channel", "request", hecAnswers.noChannel);
  }
  const conversion: HecConversion = {
    converter: "splunk_hec",
    isRaw,
    origin: {
      host: query.get("host") ?? "",
      source: query.get("source") ?? "",
      sourcetype: query.get("sourcetype") ?? "",
      index: query.get("index") ?? "",
    },
    maxPointBytes: pointGrowth * agent.config["http_api.max_body_bytes"],
    isCounted: true,
  };
  const { holds, reply } = await takePush(agent, call, {
    push: "splunk_hec",
    category: "logging",
    form: "pbjson",
    conversion,
  });
  if (reply !== undefined) return { status: 400, body: reply };
  if (holds !== "points") throw new PushRefusal(400, "the request holds no event", "no data");
  return { status: 200, body: safeJson(givesAck ? { ...hecAnswers.success, ackId: nextAckId++ } : hecAnswers.success) };
}

function channelOf({ request, query }: Call): string {
  return headerOf(request.raw, "x-splunk-request-channel") || (query.get("channel") ?? "");
}

const maxAckBytes = 1024 * 1024;

/**
 * Tells the client which of its requests, named by their ackIds, are stored. The agent sends an ackId only when
 * the events of the request are on disk. So every ackId is acknowledged, even after a restart.
 */
async function acknowledge(agent: Agent, call: Call): Promise<PushAnswer> {
  if (!agent.config["inputs.splunk_hec.ack"]) {
    throw new PushRefusal(400, "set ack = true in [inputs.splunk_hec]", "request", hecAnswers.ackOff);
  }
  if (channelOf(call) === "") {
    throw new PushRefusal(400, "send the header X-Splunk-Request-Channel", "request", hecAnswers.noChannel);
  }
  const options = { maxBytes: maxAckBytes, code: "agent.invalidJSON", budget: agent.budget } as const;
  const asked = await readJson(call.request.raw, options);
  const ids = isRecord(asked) ? asked.acks : undefined;
  if (!Array.isArray(ids) || !ids.every((id) => Number.isSafeInteger(id))) {
    throw new PushRefusal(400, 'an object {"acks":[...]} with the ids is expected');
  }
  return { status: 200, body: safeJson({ acks: Object.fromEntries(ids.map((id) => [String(id), true])) }) };
}

const healthy = (): PushAnswer => ({ status: 200, body: safeJson(hecAnswers.healthy) });

const base = "/services/collector";
const eventPaths = ["", "/event", "/event/1.0", "/1.0"];
const rawPaths = ["/raw", "/raw/1.0"];
const healthPaths = ["/health", "/health/1.0"];

const routes: readonly Route[] = [
  ...eventPaths.map((end) => ({ url: `${base}${end}`, isRaw: false })),
  ...rawPaths.map((end) => ({ url: `${base}${end}`, isRaw: true })),
]
  .map(({ url, isRaw }) =>
    pushRoute(splunkHecPush, { method: "POST", url, answer: (agent, call) => collect(agent, call, isRaw) }),
  )
  .concat(
    pushRoute(splunkHecPush, { method: "POST", url: `${base}/ack`, answer: acknowledge }),
    healthPaths.map((end) =>
      pushRoute(splunkHecPush, { method: "GET", url: `${base}${end}`, isOpen: true, answer: healthy }),
    ),
  );

export const splunkHec: Input = {
  name: "Splunk HEC",
  routes,
  converter: hecConverter,
  open: noteInMetrics(splunkHecPush),
};
