// Figures of the store benchmark: a measured number, its goal, and whether the goal is met. Each figure is one line of
// the output.

export interface Figure {
  readonly name: string;
  /** Unit of the goal and of the measured number, such as "ms" or "bytes a point"; empty for counts. */
  readonly unit: string;
  readonly measured: number;
  /** The goal for the measured number. A figure without a goal is only for information. */
  readonly goal?: { readonly atMost: number } | { readonly exactly: number };
}

export function holds({ measured, goal }: Figure): boolean {
  if (goal === undefined) return true;
  return "atMost" in goal ? measured <= goal.atMost : measured === goal.exactly;
}

/** Formats a figure: `wide: SIGTERM to exit: goal <= 5 s: measured 0.41 s: holds`. */
export function lineOf(load: string, figure: Figure): string {
  const { name, unit, measured, goal } = figure;
  const parts = [`${load}: ${name}`];
  if (goal !== undefined)
    parts.push("atMost" in goal ? `goal <= ${withUnit(goal.atMost, unit)}` : `goal ${withUnit(goal.exactly, unit)}`);
  parts.push(`measured ${withUnit(measured, unit)}`);
  if (goal !== undefined) parts.push(holds(figure) ? "holds" : "DOES NOT HOLD");
  return parts.join(": ");
}

/** Formats a number with its unit. Integers are exact, other numbers have two decimals. */
function withUnit(number: number, unit: string): string {
  const text = Number.isInteger(number) ? String(number) : number.toFixed(2);
  return unit === "" ? text : `${text} ${unit}`;
}

export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!;
}
