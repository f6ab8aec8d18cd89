// POST /v1/write/json-lines (docs/inputs.md#json-lines): accepts a body with one JSON object in each line. Each object
// becomes a point.

import { type CategoryName, categories } from "../../../../lib/point/index.ts";
import type { Agent } from "../../agent.ts";
import type { Call } from "../../serving/route.ts";
import type { Input } from "../input.ts";
import { type PushAnswer, PushRefusal } from "../push/push.ts";
import { noteInMetrics } from "../push/push-metrics.ts";
import { pushRoute } from "../push/push-route.ts";
import { leftOutRefusal, pointGrowth, takePush } from "../push/take-push.ts";
import { type JsonLinesConversion, jsonLinesConverter } from "./converter.ts";
import { jsonLinesPath, jsonLinesPush } from "./json-lines.ts";

async function take(agent: Agent, call: Call): Promise<PushAnswer> {
  const { query } = call;
  const category = (query.get("category") ?? "logging") as CategoryName;
  if (!categories.includes(category)) {
    throw new PushRefusal(400, `unknown category; one of ${categories.join(", ")} is expected`);
  }
  const conversion: JsonLinesConversion = {
    converter: "json_lines",
    category,
    measurement: query.get("source") || "default",
    maxPointBytes: pointGrowth * agent.config["http_api.max_body_bytes"],
    isCounted: true,
  };
  const taken = await takePush(agent, call, {
    push: "json_lines",
    category,
    form: "pbjson",
    conversion,
    source: (query.get("pipeline") ?? "").replace(/\.p$/, ""),
  });
  const { holds, rejected } = taken;
  if (rejected !== undefined) throw leftOutRefusal("line", rejected, taken);
  if (holds !== "points") throw new PushRefusal(400, "the body holds no line", "no data");
  return { status: 200, body: '{"status":"success"}' };
}

export const jsonLines: Input = {
  name: "JSON lines",
  routes: [pushRoute(jsonLinesPush, { method: "POST", url: jsonLinesPath, answer: take })],
  converter: jsonLinesConverter,
  open: noteInMetrics(jsonLinesPush),
};
