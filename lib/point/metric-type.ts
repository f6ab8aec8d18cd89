// Metric types of tags and fields, with their numbers and names in PBJSON and protobuf
// (docs/reference/points.md#pbjson).

const histogram = ["MAX", "MIN", "COUNT", "SUM", "BUCKET_COUNTS", "BUCKET_BOUNDS"];
const exponential = [
  ...["MAX", "MIN", "COUNT", "SUM", "AVG", "SCALE", "ZERO_COUNT", "POS_OFFSET", "POS_BUCKET_COUNTS"],
  ...["NEG_OFFSET", "NEG_BUCKET_COUNTS", "FLAGS", "START_TIME"],
];

const names: ReadonlyMap<number, string> = new Map([
  ...["UNSPECIFIED", "COUNT", "RATE", "GAUGE"].map((name, i) => [i, name] as const),
  ...["SUM_DELTA", "SUM_CUMULATIVE", "SUMMARY_COUNT", "SUMMARY_SUM", "SUMMARY_QUANTILE"].map(
    (name, i) => [10 + i, name] as const,
  ),
  ...histogram.map((name, i) => [20 + i, `HISTOGRAM_${name}`] as const),
  ...exponential.map((name, i) => [30 + i, `EXPONENTIAL_HISTOGRAM_${name}`] as const),
]);
const numbers: ReadonlyMap<string, number> = new Map([...names].map(([number, name]) => [name, number]));

export function metricTypeName(type: number): string | undefined {
  return names.get(type);
}

export function metricTypeOf(name: string): number | undefined {
  return numbers.get(name);
}
