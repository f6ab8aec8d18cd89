// Writes the distance in time between two neighbouring values of a chart as text, such as `30 s`.

const units: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
  [1, "ms"],
];

/**
 * Takes times in milliseconds. Returns the shortest distance between two different times as text, such as `30 s`; empty
 * when all times are equal.
 */
export function stepText(times: readonly number[]): string {
  const sorted = [...new Set(times)].sort((a, b) => a - b);
  let least = Number.POSITIVE_INFINITY;
  for (let at = 1; at < sorted.length; at++) least = Math.min(least, sorted[at]! - sorted[at - 1]!);
  if (!Number.isFinite(least)) return "";
  const [ms, name] = units.find(([each]) => least >= each) ?? units.at(-1)!;
  return `${Number((least / ms).toFixed(1))} ${name}`;
}
