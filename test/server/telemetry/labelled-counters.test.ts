// Counters and gauges with labels, as the metrics registry prints them.

import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createTally } from "../../../server/telemetry/labelled-counters.ts";

it("keeps a number for each set of labels, whatever the order they are given in", async () => {
  const registry = new Registry();
  const tally = createTally(registry, { name: "n_total", help: "how many", type: "counter", labelNames: ["a", "b"] });
  const first = tally.of({ a: "x", b: 'say "y"' });
  first.value++;
  tally.of({ b: 'say "y"', a: "x" }).value += 2;
  tally.of({ a: "x", b: "z" }).value += 0.5;
  expect(await registry.metrics()).toBe(`# HELP n_total how many
# TYPE n_total counter
n_total{a="x",b="say \\"y\\""} 3
n_total{a="x",b="z"} 0.5
`);
});
