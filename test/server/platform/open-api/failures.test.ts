// The Open API when a part that it uses fails, such as the database: the answer names only the kind of the failure, and
// the log has the details.

import { expect, it } from "vitest";
import { defaults } from "../../../../server/config/schema.ts";
import { InflightBudget } from "../../../../server/http/body/inflight.ts";
import { createPlatformApp } from "../../../../server/platform/app.ts";
import type { Metadata } from "../../../../server/platform/metadata/metadata.ts";
import { StoreFailure } from "../../../../server/platform/metadata/store.ts";
import { createPlatformMetrics } from "../../../../server/platform/metrics.ts";
import type { Replays } from "../../../../server/platform/open-api/replay-parts.ts";
import type { PointsStore } from "../../../../server/store/store.ts";
import { createLog } from "../../../../server/telemetry/log.ts";

function appThat(fails: () => never, budget = new InflightBudget(1000)) {
  const lines: string[] = [];
  const opened = {
    workspace: "wksp_1",
    pointsId: "p",
    actor: { uuid: "wsak_1", name: "key", roles: ["wsAdmin"] },
  };
  const metadata = {
    keys: { open: async () => opened },
    records: () => ({ list: async () => fails(), create: async () => fails(), named: async () => [] }),
  } as unknown as Metadata;
  const app = createPlatformApp({
    config: defaults(),
    store: {} as PointsStore,
    replays: {} as Replays,
    workspaces: { idOf: async () => undefined },
    metadata,
    budget,
    metrics: createPlatformMetrics(),
    files: {},
    log: createLog("info", (line) => lines.push(line)),
  });
  return { app, lines };
}

const list = { url: "/api/v1/dashboard/list", headers: { "df-api-key": "k" } };

it.each([
  [
    "a failure that the store reports",
    () => new StoreFailure("disk is full at /var/lib"),
    500,
    "ServerError",
    "Server-side processing error.",
  ],
  [
    "a failure that nobody expected",
    () => new TypeError("x of undefined at /var/lib"),
    503,
    "InternalError",
    "Unknown error.",
  ],
] as const)("%s", async (_name, error, status, errorCode, message) => {
  const { app, lines } = appThat(() => {
    throw error();
  });
  const answer = await app.inject(list);
  expect(answer.statusCode).toBe(status);
  expect(answer.json()).toEqual({
    code: status,
    content: {},
    errorCode,
    message,
    success: false,
    traceId: answer.headers["x-trace-id"],
  });
  expect(answer.body).not.toContain("/var/lib");
  // The log line has the trace id and the request, so an operator finds it by the trace id in the client's answer.
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`ERROR ${answer.headers["x-trace-id"]} GET /api/v1/dashboard/list: `);
  expect(lines[0]).toContain("/var/lib");
});

it("a body that exceeds the platform's memory budget gets 503 with Retry-After", async () => {
  const { app } = appThat(() => {
    throw new Error("not reached");
  }, new InflightBudget(10));
  const answer = await app.inject({
    method: "POST",
    url: "/api/v1/dashboard/create",
    headers: { "df-api-key": "k", "content-type": "application/json" },
    payload: JSON.stringify({ name: "longer than ten bytes" }),
  });
  expect([answer.statusCode, answer.headers["retry-after"], answer.json().errorCode]).toEqual([
    503,
    "1",
    "InternalError",
  ]);
});
