// POST /v1/pipeline/live (docs/reference/agent.md#live-points): makes the agent sample points for some seconds, and
// answers with the points sampled since the last request. Waits for a point when there is none yet.

import { type CategoryName, categories } from "../../../lib/point/index.ts";
import { escapeJson } from "../../../lib/text/index.ts";
import { durationMs } from "../../config/go-duration.ts";
import { answer } from "../../http/answer.ts";
import { isRecord, readJson } from "../../http/body/json-body.ts";
import { ApiError } from "../../http/errors.ts";
import { mostSeconds } from "../live/live-sample.ts";
import type { Route } from "../serving/route.ts";

const maxAskBytes = 4096;
const mostWaitMs = 20_000;
const defaultSeconds = 10;

export const livePoints: Route = {
  method: "POST",
  url: "/v1/pipeline/live",
  handle: async ({ live, budget, config }, { request, reply, signal }) => {
    const body = await readJson(request.raw, { budget, maxBytes: maxAskBytes, code: "agent.invalidRequest" });
    if (!isRecord(body)) throw new ApiError("agent.invalidRequest", "a JSON object is needed");
    if (!live.enabled) throw new ApiError("agent.livePointsDisabled", "pipeline.live_points is off");
    const seconds = numberOf(body, "seconds", defaultSeconds, mostSeconds);
    // The wait for points ends before the time limit for requests, so that the request is answered and does not time
    // out.
    const longest = Math.min(mostWaitMs, durationMs(config["http_api.timeout"], 30_000) / 2);
    const waitMs = Math.min(longest, numberOf(body, "wait_ms", 0, mostWaitMs));
    const after = numberOf(body, "after", 0, Number.MAX_SAFE_INTEGER);
    const { last, points, missed } = await live.poll({ category: categoryOf(body), after, seconds, waitMs, signal });
    reply.header("x-content-type-options", "nosniff");
    const content = `{"last":${last},"missed":${missed},"seconds":${seconds},"points":[${points.join(",")}]}`;
    return answer(reply, "application/json", `{"content":${escapeJson(content)}}`);
  },
};

function numberOf(body: Record<string, unknown>, name: string, otherwise: number, most: number): number {
  const value = body[name] ?? otherwise;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most) return value;
  throw new ApiError("agent.invalidRequest", `${name} must be a whole number from 0 to ${most}`);
}

function categoryOf({ category }: Record<string, unknown>): CategoryName | undefined {
  if (category === undefined || category === null || category === "") return undefined;
  const known = categories.find((each) => each === category);
  if (known === undefined) throw new ApiError("agent.invalidCategory", "invalid category");
  return known;
}
