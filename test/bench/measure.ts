// Paired timing: Millrace and a baseline run alternately for five rounds, so that a slow moment of the machine affects
// both.

export interface Pair {
  /** Name and unit of the measurement, such as `scan of metric lines, MB/s`. */
  readonly name: string;
  readonly baseline: string;
  /** Does one unit of work with Millrace. Its counterpart `theirs` does the same work with the baseline. */
  readonly ours: () => void;
  readonly theirs: () => void;
}

export interface Row {
  readonly name: string;
  readonly baseline: string;
  /** Median milliseconds that Millrace takes for one unit of work. */
  readonly oursMs: number;
  readonly baselineMs: number;
  /**
   * Ratio of Millrace's speed to the baseline's speed, the median of all rounds. 2 means that Millrace is twice as
   * fast.
   */
  readonly ratio: number;
  readonly lowest: number;
  readonly highest: number;
}

const rounds = 5;
const roundMs = 200;

/**
 * Returns a function that calls `make` at its first call and returns the same result at each call. So a benchmark that
 * is not selected prepares no data.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

export function measure(pair: Pair): Row {
  // A first call of each variant prepares its test data, so that the measured time does not include this work.
  pair.ours();
  pair.theirs();
  const oursTurns = turnsFor(pair.ours);
  const theirsTurns = turnsFor(pair.theirs);
  // One round is not recorded. It gives V8 the time to compile both variants with the types that each of them sees.
  timeOf(pair.ours, oursTurns);
  timeOf(pair.theirs, theirsTurns);
  const ours: number[] = [];
  const theirs: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const a = timeOf(pair.ours, oursTurns);
    const b = timeOf(pair.theirs, theirsTurns);
    ours.push(a);
    theirs.push(b);
    ratios.push(b / a);
  }
  return {
    name: pair.name,
    baseline: pair.baseline,
    oursMs: median(ours),
    baselineMs: median(theirs),
    ratio: median(ratios),
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
  };
}

/**
 * Measures a difference of a few nanoseconds between the two variants of a pair. The variants run alternately
 * for some microseconds each, and their order changes, so that a slow moment of the machine affects both
 * variants. The reported spread is the range of the middle half of the measured ratios.
 */
export function measureClosely(pair: Pair): Row {
  for (let turn = 0; turn < 2000; turn++) {
    pair.ours();
    pair.theirs();
  }
  const ours: number[] = [];
  const theirs: number[] = [];
  const end = performance.now() + 2 * rounds * roundMs;
  while (performance.now() < end) {
    ours.push(timeOf(pair.ours, 1));
    theirs.push(timeOf(pair.theirs, 1), timeOf(pair.theirs, 1));
    ours.push(timeOf(pair.ours, 1));
  }
  const ratios = ours.map((each, i) => theirs[i]! / each).sort((a, b) => a - b);
  return {
    name: pair.name,
    baseline: pair.baseline,
    oursMs: median(ours),
    baselineMs: median(theirs),
    ratio: median(theirs) / median(ours),
    lowest: ratios[ratios.length >> 2]!,
    highest: ratios[(ratios.length * 3) >> 2]!,
  };
}

/** Warms up the code. Returns the number of repetitions of the work that fill one round. */
function turnsFor(work: () => void): number {
  let turns = 1;
  for (;;) {
    const took = timeOf(work, turns) * turns;
    if (took >= roundMs / 4) return Math.max(1, Math.round((turns * roundMs) / took));
    turns *= took < roundMs / 40 ? 8 : 2;
  }
}

function timeOf(work: () => void, turns: number): number {
  const start = performance.now();
  for (let turn = 0; turn < turns; turn++) work();
  return (performance.now() - start) / turns;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

export function tableOf(rows: readonly Row[]): string {
  const lines = [["name", "ours", "baseline", "", "ratio", "spread"]];
  for (const row of rows) {
    lines.push([
      row.name,
      time(row.oursMs),
      row.baseline,
      time(row.baselineMs),
      `${row.ratio.toFixed(2)}x`,
      `${row.lowest.toFixed(2)}-${row.highest.toFixed(2)}`,
    ]);
  }
  return columns(lines);
}

/**
 * Returns a table as text. Each element of `lines` is a row of the table, and all rows have the same number of cells.
 * Each column of the table is as wide as its widest cell.
 */
export function columns(lines: readonly (readonly string[])[]): string {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function time(ms: number): string {
  if (ms >= 1) return `${ms.toFixed(2)} ms`;
  if (ms >= 0.001) return `${(ms * 1000).toFixed(2)} us`;
  return `${(ms * 1e6).toFixed(1)} ns`;
}
