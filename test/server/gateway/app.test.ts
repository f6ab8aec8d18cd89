// The line that the gateway logs about an internal error.

import { expect, it, onTestFinished } from "vitest";
import { type Config, defaults } from "../../../server/config/schema.ts";
import { createGatewayApp } from "../../../server/gateway/app.ts";
import type { Gateway } from "../../../server/gateway/gateway.ts";
import { createGatewayMetrics } from "../../../server/gateway/metrics.ts";
import { InflightBudget } from "../../../server/http/body/inflight.ts";
import { createLog } from "../../../server/telemetry/log.ts";
import { send } from "../support/running-agent.ts";

it("logs the route and the cause of an internal error, even after the body was read", async () => {
  let log = "";
  const broken = () => {
    throw new TypeError("broken");
  };
  const parts = {
    config: { ...(defaults() as Config), "gateway_api.remote_host": "http://127.0.0.1:9" },
    sinker: { state: { kind: "off" } },
    targets: { direct: broken },
    budget: new InflightBudget(1000),
    metrics: createGatewayMetrics(),
    log: createLog("error", (line) => {
      log += line;
    }),
  };
  const app = createGatewayApp(parts as unknown as Gateway);
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const { status, text } = await send(`${url}/v1/write/metric?token=tkn_a`, { body: "m v=1i" });
  expect([status, JSON.parse(text).error_code]).toEqual([500, "gateway.internalServerError"]);
  expect(text).not.toContain("request aborted");
  expect(log).toContain("POST /v1/write/metric: TypeError: broken");
});
