import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { createSummary } from "../../../server/telemetry/summary.ts";

function summaryAt(clock: { ms: number }) {
  const registry = new Registry();
  const summary = createSummary(registry, {
    name: "seconds",
    help: "time",
    labelNames: ["api"],
    quantiles: [0.5, 0.99],
    windowMs: 600_000,
    steps: 5,
    nowMs: () => clock.ms,
  });
  const value = async (line: string) => {
    const found = (await registry.metrics()).split("\n").find((each) => each.startsWith(`${line} `));
    return found === undefined ? undefined : Number(found.slice(line.length + 1));
  };
  return { summary, registry, value };
}

describe("createSummary", () => {
  it("returns quantiles with an error of about 1 %", async () => {
    const { summary, value } = summaryAt({ ms: 0 });
    for (let n = 1; n <= 1000; n++) summary.observe({ api: "/a" }, n / 1e6);
    expect(Math.abs((await value('seconds{quantile="0.5",api="/a"}'))! / 500e-6 - 1)).toBeLessThan(0.011);
    expect(Math.abs((await value('seconds{quantile="0.99",api="/a"}'))! / 990e-6 - 1)).toBeLessThan(0.011);
  });

  it("counts every value in the time step of its arrival, for any number of values", async () => {
    const clock = { ms: 0 };
    const { summary, value } = summaryAt(clock);
    const observe = summary.of({ api: "/a" });
    for (const [step, count] of [1, 31, 32, 33, 70].entries()) {
      clock.ms = step * 120_000;
      for (let n = 0; n < count; n++) observe(10 ** step);
    }
    const ranks = async () => [
      await value('seconds{quantile="0.5",api="/a"}'),
      await value('seconds{quantile="0.99",api="/a"}'),
    ];
    expect((await ranks()).map((each) => Math.round(Math.log10(each!)))).toEqual([3, 4]);
    // The summary divides time into steps of 2 minutes and uses only the values of the last few steps. Two steps later,
    // it no longer uses the values of the two oldest steps.
    clock.ms = 6 * 120_000;
    for (let n = 0; n < 200; n++) observe(1e-3);
    expect((await ranks()).map((each) => Math.round(Math.log10(each!)))).toEqual([-3, 4]);
    expect(await value('seconds_count{api="/a"}')).toBe(367);
  });

  it("returns the exact sum and count of each series", async () => {
    const { summary, value } = summaryAt({ ms: 0 });
    for (const n of [0, 2, 5]) summary.observe({ api: "/a" }, n);
    summary.observe({ api: "/b" }, 0.25);
    expect(await value('seconds_sum{api="/a"}')).toBe(7);
    expect(await value('seconds_count{api="/a"}')).toBe(3);
    expect(await value('seconds_sum{api="/b"}')).toBe(0.25);
  });

  it("uses the time that a caller passes", async () => {
    const clock = { ms: 0 };
    const { summary, value } = summaryAt(clock);
    summary.of({ api: "/a" })(2, 600_000);
    summary.of({ api: "/b" })(2);
    clock.ms = 700_000;
    expect(await value('seconds_count{api="/a"}')).toBe(1);
    expect(await value('seconds_count{api="/b"}')).toBeUndefined();
  });

  it("observes through a series handle, even after the series was forgotten", async () => {
    const clock = { ms: 0 };
    const { summary, value } = summaryAt(clock);
    const observe = summary.of({ api: "/a" });
    observe(2);
    summary.observe({ api: "/a" }, 3);
    expect(await value('seconds_sum{api="/a"}')).toBe(5);
    clock.ms = 1_300_000;
    expect(await value('seconds_sum{api="/a"}')).toBeUndefined();
    observe(7);
    summary.observe({ api: "/a" }, 1);
    expect(await value('seconds_sum{api="/a"}')).toBe(8);
    expect(await value('seconds_count{api="/a"}')).toBe(2);
  });

  it("returns 0 for a quantile of zeros", async () => {
    const { summary, value } = summaryAt({ ms: 0 });
    summary.observe({ api: "/a" }, 0);
    expect(await value('seconds{quantile="0.5",api="/a"}')).toBe(0);
  });

  it("forgets values older than the window, and keeps their sum while there are younger values", async () => {
    const clock = { ms: 0 };
    const { summary, value } = summaryAt(clock);
    for (let n = 0; n < 100; n++) summary.observe({ api: "/a" }, 1000);
    clock.ms = 590_000;
    summary.observe({ api: "/a" }, 1);
    clock.ms = 700_000;
    expect(Math.abs((await value('seconds{quantile="0.99",api="/a"}'))! - 1)).toBeLessThan(0.011);
    expect(await value('seconds_count{api="/a"}')).toBe(101);
  });

  it("forgets a series without a value in the window", async () => {
    const clock = { ms: 0 };
    const { summary, registry } = summaryAt(clock);
    summary.observe({ api: "/a" }, 1);
    clock.ms = 601_000;
    expect(await registry.metrics()).toBe("# HELP seconds time\n# TYPE seconds summary\n");
  });
});
