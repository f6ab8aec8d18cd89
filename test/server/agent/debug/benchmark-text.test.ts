import { describe, expect, it } from "vitest";
import { benchmark, benchmarkText } from "../../../../server/agent/debug/benchmark-text.ts";

describe("benchmark text", () => {
  it.each([
    [12_345, 1e9, "   12345\t     81004 ns/op"],
    [12_345_678, 1e9, "12345678\t        81.00 ns/op"],
    [1, 0, "       1\t         0 ns/op"],
    [1, 500.26, "       1\t       500.3 ns/op"],
    [1000, 2500, "    1000\t         2.500 ns/op"],
    [10_000, 2500, "   10000\t         0.2500 ns/op"],
  ])("writes %d runs in %d ns", (runs, nanoseconds, text) => {
    expect(benchmarkText(runs, nanoseconds)).toBe(text);
  });

  it("increases the number of calls until a round lasts a second", () => {
    let clock = 0n;
    let calls = 0;
    const once = () => {
      calls++;
      clock += 1_000_000n;
    };
    // The benchmark calls the function in rounds. The first round has one call. The second round has 100, because a
    // round has at most 100 times as many calls as the round before. The third round has 1200: the calls that fit into
    // a second at the measured speed, plus 20 %.
    expect(benchmark(once, () => clock)).toBe("    1200\t   1000000 ns/op");
    expect(calls).toBe(1301);
  });
});
