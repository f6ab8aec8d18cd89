// Metrics have a label whose value is the name of the input. Clients can send any name, so the number of
// different values of this label is limited. The values from before a reload of the configuration still count
// towards the limit.

import { expect, it } from "vitest";
import { createInputs } from "../../../../server/agent/ingest/input-counts.ts";
import { ApiError } from "../../../../server/http/errors.ts";
import { createMetrics } from "../../../../server/telemetry/metrics.ts";

it("counts input names beyond the limit under one name, also after a reload", () => {
  const metrics = createMetrics();
  const inputs = createInputs(metrics, 2);
  expect(
    ["v1-write.a", "v1-write.b", "v1-write.c", "v1-write.a"].map((label) => inputs.seriesOf(label, "metric").name),
  ).toEqual(["v1-write.a", "v1-write.b", "v1-write.others", "v1-write.a"]);
  const reloaded = createInputs(metrics, 2);
  expect(reloaded.seriesOf("v1-write.d", "logging").name).toBe("v1-write.others");
  expect(reloaded.seriesOf("v1-write.b", "logging").name).toBe("v1-write.b");
});

it("shortens a long input name to the same name each time", () => {
  const inputs = createInputs(createMetrics(), 1);
  const long = `v1-write.${"x".repeat(10_000)}`;
  const { name } = inputs.seriesOf(long, "metric");
  expect(name.length).toBeLessThan(1100);
  expect(inputs.seriesOf(long, "metric").name).toBe(name);
});

it("counts refused writes, except those whose body contains no points", async () => {
  const metrics = createMetrics();
  const inputs = createInputs(metrics, 2);
  inputs.refused("otlp.logs", "logging", new ApiError("agent.emptyBody"));
  inputs.refused("otlp.logs", "logging", new ApiError("agent.noPoints"));
  expect(await metrics.registry.metrics()).toContain(
    'agent_io_feed_error_total{name="otlp.logs",category="logging"} 1\n',
  );
});
