// Tests what happens when the handler of an HTTP request throws an error: the answer to the client, and the line
// in the log.

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createGuards } from "../../../../server/agent/serving/guards.ts";
import { JobAborted } from "../../../../server/agent/thread-pool.ts";
import { type Config, defaults } from "../../../../server/config/schema.ts";
import type { ApiError } from "../../../../server/http/errors.ts";
import { createLog } from "../../../../server/telemetry/log.ts";
import { createMetrics } from "../../../../server/telemetry/metrics.ts";

/**
 * Runs a handler that throws `error` after it has read the body. Returns the error answer to the client and the log.
 */
async function refusalOf(error: Error, isGone: boolean): Promise<{ refusal: ApiError; log: string }> {
  let log = "";
  const guards = createGuards(
    {
      config: defaults() as Config,
      hostname: "web01",
      log: createLog("error", (line) => {
        log += line;
      }),
      metrics: createMetrics(),
    },
    "localhost",
  );
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const call = request({ port, host: "127.0.0.1", method: "POST", agent: false }).on("error", () => {});
  call.end("read");
  const [raw, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  const ending = guards.begin(raw, response, () => "/");
  raw.resume();
  await once(raw, "close");
  if (isGone) {
    call.destroy();
    await once(response, "close");
  }
  const refusal = guards.refusalOf(error, raw, ending);
  response.end();
  return { refusal, log };
}

it("returns an internal error with its message, also after the body was read", async () => {
  const { refusal, log } = await refusalOf(new TypeError("broken"), false);
  expect([refusal.status, refusal.message]).toEqual([500, "TypeError: broken"]);
  expect(log).toContain("POST /: TypeError: broken");
});

it("returns 503 when the agent stops before the work ends", async () => {
  const { refusal, log } = await refusalOf(new JobAborted(), false);
  expect([refusal.status, refusal.code, refusal.headers]).toEqual([503, "agent.notReady", { "retry-after": "2" }]);
  expect(log).toBe("");
});

it.each([new TypeError("broken"), new JobAborted()])("logs nothing when the client has gone: %s", async (error) => {
  const { refusal, log } = await refusalOf(error, true);
  expect([refusal.message, log]).toEqual(["request aborted", ""]);
});
