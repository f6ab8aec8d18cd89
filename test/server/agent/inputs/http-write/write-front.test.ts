// The front of writes is the code between the HTTP server and the ingest. It must tell the ingest whether a write is
// alone, which means that no other request is in progress.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { alwaysOpen } from "../../../../../server/agent/ingest/admission.ts";
import { createInputs } from "../../../../../server/agent/ingest/input-counts.ts";
import type { WriteRequest } from "../../../../../server/agent/ingest/write-request.ts";
import { createWriteFront } from "../../../../../server/agent/inputs/http-write/write-front.ts";
import { createGuards } from "../../../../../server/agent/serving/guards.ts";
import { type Config, defaults } from "../../../../../server/config/schema.ts";
import { InflightBudget } from "../../../../../server/http/body/inflight.ts";
import { createLog } from "../../../../../server/telemetry/log.ts";
import { createMetrics } from "../../../../../server/telemetry/metrics.ts";

it("marks a write as alone only while no other request is in progress", async () => {
  const config = defaults() as Config;
  const guards = createGuards(
    { config, hostname: "web01", log: createLog("error", () => {}), metrics: createMetrics() },
    "localhost",
  );
  const alone: (boolean | undefined)[] = [];
  /** For each received write, a function with which the test answers it. */
  const waiting: (() => void)[] = [];
  const ingest = ({ isAlone }: WriteRequest) => {
    alone.push(isAlone);
    return new Promise<undefined>((resolve) => waiting.push(() => resolve(undefined)));
  };
  const budget = new InflightBudget(1000);
  const inputs = createInputs(createMetrics(), 10);
  const front = createWriteFront({ config, ingest, inputs, admission: alwaysOpen, budget, now: () => 0n }, guards);
  const server = createServer((raw, response) => void front(raw, response)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/write/metric`;
  const write = () => fetch(url, { method: "POST", body: "m f=1" });

  const first = write();
  await expect.poll(() => alone).toEqual([true]);
  const second = write();
  await expect.poll(() => alone).toEqual([true, false]);
  for (const answer of waiting.splice(0)) answer();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  await expect.poll(() => guards.underWay).toBe(0);
  const third = write();
  await expect.poll(() => alone).toEqual([true, false, true]);
  waiting[0]!();
  await third;
});
