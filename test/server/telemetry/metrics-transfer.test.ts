// Metrics that one process counts and another process shows at /metrics.

import { Counter, Gauge, Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { createTally } from "../../../server/telemetry/labelled-counters.ts";
import {
  type Movable,
  movableCounter,
  movableTimes,
  moveAll,
  takeAll,
} from "../../../server/telemetry/metrics-transfer.ts";
import { createSummary } from "../../../server/telemetry/summary.ts";

/**
 * Transfers the counts of the metric `from` to the metric `to`, and returns the transferred counts. The counts are
 * copied in the same way as a message between two processes.
 */
async function move(from: Movable, to: Movable): Promise<readonly unknown[]> {
  const rows = structuredClone(await from.moved());
  to.take(rows);
  return rows;
}

async function linesOf(registry: Registry): Promise<string[]> {
  return (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

function tallyOf(type: "counter" | "gauge", onlyGrows = false) {
  const registry = new Registry();
  return { registry, tally: createTally(registry, { name: "n", help: "n", type, labelNames: ["a"], onlyGrows }) };
}

describe("a tally", () => {
  it("transfers each count once, and adds it to the existing count", async () => {
    const [here, there] = [tallyOf("counter"), tallyOf("counter")];
    const series = here.tally.of({ a: "x" });
    series.value += 2;
    there.tally.of({ a: "x" }).value = 5;
    expect(await move(here.tally, there.tally)).toHaveLength(1);
    expect(await move(here.tally, there.tally)).toEqual([]);
    series.value++;
    here.tally.of({ a: "y" }).value = 1;
    await move(here.tally, there.tally);
    expect(await linesOf(there.registry)).toEqual(['n{a="x"} 8', 'n{a="y"} 1']);
  });

  it("transfers a gauge only when it has changed", async () => {
    const [here, there] = [tallyOf("gauge"), tallyOf("gauge")];
    const series = here.tally.of({ a: "x" });
    there.tally.of({ a: "x" }).value = 5;
    // The process `here` sets the gauge, and the process `there` shows it. `here` has not set the gauge yet, so no
    // value is transferred.
    expect(await move(here.tally, there.tally)).toEqual([]);
    series.value = 1;
    await move(here.tally, there.tally);
    expect(await linesOf(there.registry)).toEqual(['n{a="x"} 1']);
    there.tally.of({ a: "x" }).value = 7;
    expect(await move(here.tally, there.tally)).toEqual([]);
    series.value = 0;
    await move(here.tally, there.tally);
    expect(await linesOf(there.registry)).toEqual(['n{a="x"} 0']);
  });

  it("keeps the larger value of a gauge that only grows", async () => {
    const [here, there] = [tallyOf("gauge", true), tallyOf("gauge", true)];
    here.tally.of({ a: "x" }).value = 10;
    there.tally.of({ a: "x" }).value = 20;
    await move(here.tally, there.tally);
    expect(await linesOf(there.registry)).toEqual(['n{a="x"} 20']);
    here.tally.of({ a: "x" }).value = 30;
    await move(here.tally, there.tally);
    expect(await linesOf(there.registry)).toEqual(['n{a="x"} 30']);
  });
});

it("a counter transfers each count once, and adds it to the existing count", async () => {
  const of = () => {
    const registry = new Registry();
    const counter = new Counter({ name: "n", help: "n", labelNames: ["a"], registers: [registry] });
    return { registry, counter, movable: movableCounter(counter) };
  };
  const [here, there] = [of(), of()];
  here.counter.inc({ a: "x" }, 2);
  there.counter.inc({ a: "x" }, 5);
  expect(await move(here.movable, there.movable)).toHaveLength(1);
  expect(await move(here.movable, there.movable)).toEqual([]);
  here.counter.inc({ a: "x" });
  here.counter.inc({ a: "y" });
  await move(here.movable, there.movable);
  expect(await linesOf(there.registry)).toEqual(['n{a="x"} 8', 'n{a="y"} 1']);
});

describe("a summary", () => {
  const windowMs = 600_000;
  const of = (clock: { ms: number }) => {
    const registry = new Registry();
    const options = { name: "s", help: "s", labelNames: ["a"], quantiles: [0.5, 0.9, 0.99], windowMs, steps: 5 };
    const summary = createSummary(registry, { ...options, nowMs: () => clock.ms });
    return { registry, summary };
  };

  it("has the same quantiles, sum and count as one summary that observed all values", async () => {
    const [clock, other] = [{ ms: 0 }, { ms: 7_000_000 }];
    const [one, here, there] = [of(clock), of(other), of(clock)];
    for (let n = 1; n <= 999; n++) {
      one.summary.observe({ a: "x" }, n);
      (n % 3 === 0 ? there : here).summary.observe({ a: "x" }, n);
      if (n % 100 === 0) await move(here.summary, there.summary);
      clock.ms += 300;
      other.ms += 300;
    }
    expect(await move(here.summary, there.summary)).toHaveLength(1);
    expect(await move(here.summary, there.summary)).toEqual([]);
    expect(await linesOf(there.registry)).toEqual(await linesOf(one.registry));
  });

  it("forgets transferred values by their own age, not by the time of their transfer", async () => {
    const [clock, other] = [{ ms: 1_000_000 }, { ms: 0 }];
    const [here, there] = [of(other), of(clock)];
    here.summary.observe({ a: "old" }, 1000);
    here.summary.observe({ a: "both" }, 1000);
    other.ms += 400_000;
    here.summary.observe({ a: "both" }, 1);
    await move(here.summary, there.summary);
    expect(await linesOf(there.registry)).toContain('s_count{a="old"} 1');
    clock.ms += 300_000;
    const lines = await linesOf(there.registry);
    expect(lines.filter((line) => line.includes('"old"'))).toEqual([]);
    expect(lines).toContain('s_count{a="both"} 2');
    const median = lines.find((line) => line.startsWith('s{quantile="0.99",a="both"}'))!;
    expect(Number(median.split(" ")[1])).toBeCloseTo(1, 1);
  });

  it("shows no series whose values were too old at their transfer", async () => {
    const [clock, other] = [{ ms: 0 }, { ms: 0 }];
    const [here, there] = [of(other), of(clock)];
    here.summary.observe({ a: "x" }, 1);
    other.ms += windowMs;
    await move(here.summary, there.summary);
    expect(await linesOf(there.registry)).toEqual([]);
  });
});

it("all metrics of a process are transferred under their names, except those without values", async () => {
  const [here, there] = [tallyOf("counter"), tallyOf("counter")];
  const quiet = tallyOf("counter");
  here.tally.of({ a: "x" }).value = 3;
  const moved = await moveAll(
    new Map([
      ["n", here.tally],
      ["quiet", quiet.tally],
    ]),
  );
  expect(Object.keys(moved)).toEqual(["n"]);
  takeAll(new Map([["n", there.tally]]), { ...moved, unknown: [{}] });
  expect(await linesOf(there.registry)).toEqual(['n{a="x"} 3']);
});

describe("a gauge of times", () => {
  const timesOf = () => {
    const registry = new Registry();
    const gauge = new Gauge({ name: "n", help: "n", labelNames: ["a"], registers: [registry] });
    return { registry, gauge, times: movableTimes(gauge) };
  };

  it("transfers only newly set values, and does not restore a series that the receiver removed", async () => {
    const [here, there] = [timesOf(), timesOf()];
    here.gauge.set({ a: "x" }, 10);
    here.gauge.set({ a: "y" }, 11);
    expect(await move(here.times, there.times)).toHaveLength(2);
    there.gauge.remove({ a: "x" });
    expect(await move(here.times, there.times)).toEqual([]);
    here.gauge.set({ a: "y" }, 12);
    expect(await move(here.times, there.times)).toHaveLength(1);
    expect(await linesOf(there.registry)).toEqual(['n{a="y"} 12']);
  });
});
