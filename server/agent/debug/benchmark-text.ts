// Formats the benchmark result of the script-debugging interface as one line, like Go's benchmark results
// (docs/reference/agent.md#script-debugging).

/**
 * Returns a benchmark line: the number of runs and the nanoseconds of one run, such as `"   12345\t     81004 ns/op"`.
 */
export function benchmarkText(runs: number, nanoseconds: number): string {
  const perRun = nanoseconds / runs;
  return `${String(runs).padStart(8)}\t${formatted(perRun)} ns/op`;
}

function formatted(value: number): string {
  if (value === 0 || value >= 999.95) return value.toFixed(0).padStart(10);
  let decimals = 1;
  let width = 12;
  for (let from = 99.995; value < from && decimals < 20; from /= 10) {
    decimals++;
    width++;
  }
  return value.toFixed(decimals).padStart(width);
}

/**
 * Calls `once` several times in a row (one round), and measures the time of the round. Repeats this with more
 * calls per round until a round takes at least a second. Returns the benchmark line of the last round.
 */
export function benchmark(once: () => void, nowNs: () => bigint): string {
  const goal = 1e9;
  const most = 1e9;
  for (let runs = 1; ; ) {
    const began = nowNs();
    for (let at = 0; at < runs; at++) once();
    const took = Number(nowNs() - began);
    if (took >= goal || runs >= most) return benchmarkText(runs, took);
    const predicted = Math.ceil((runs * goal * 1.2) / Math.max(took, 1));
    runs = Math.min(Math.max(predicted, runs + 1), runs * 100, most);
  }
}
