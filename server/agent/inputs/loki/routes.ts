// POST /loki/api/v1/push (docs/inputs.md#loki): accepts the requests with which Promtail, Alloy, Fluent Bit and other
// senders push logs to Loki.

import { encodingOf } from "../../../http/body/body.ts";
import { headerOf } from "../../../http/guards/client.ts";
import type { Agent } from "../../agent.ts";
import type { Call } from "../../serving/route.ts";
import type { Input } from "../input.ts";
import { type PushAnswer, PushRefusal } from "../push/push.ts";
import { noteInMetrics } from "../push/push-metrics.ts";
import { pushRoute } from "../push/push-route.ts";
import { leftOutRefusal, pointGrowth, takePush } from "../push/take-push.ts";
import { type LokiConversion, lokiConverter } from "./converter.ts";
import { lokiPush } from "./loki.ts";

async function push(agent: Agent, call: Call): Promise<PushAnswer> {
  const { config } = agent;
  const isProtobuf = isProtobufType(call.contentType);
  const sent = headerOf(call.request.raw, "content-encoding").toLowerCase();
  const compression = encodingOf(isProtobuf && sent === "snappy" ? "" : sent.replace(/^identity$/, ""));
  const maxBytes = config["http_api.max_body_bytes"];
  const conversion: LokiConversion = {
    converter: "loki",
    isProtobuf,
    sourceLabels: config["inputs.loki.source_labels"],
    maxBytes,
    maxPointBytes: pointGrowth * maxBytes,
    isCounted: true,
  };
  const taken = await takePush(agent, call, {
    push: "loki",
    category: "logging",
    form: "pbjson",
    conversion,
    compression,
  });
  const { holds, rejected } = taken;
  if (rejected !== undefined) throw leftOutRefusal("entry", rejected, taken);
  if (holds === "nothing") throw new PushRefusal(400, "the request has no body", "no data");
  return { status: 204 };
}

function isProtobufType(contentType: string): boolean {
  switch (contentType.split(";")[0]!.trim().toLowerCase()) {
    case "application/x-protobuf":
      return true;
    case "application/json":
      return false;
    default:
      throw new PushRefusal(415, "the Content-Type must be application/json or application/x-protobuf");
  }
}

export const loki: Input = {
  name: "Loki",
  routes: [pushRoute(lokiPush, { method: "POST", url: "/loki/api/v1/push", answer: push })],
  converter: lokiConverter,
  open: noteInMetrics(lokiPush),
};
