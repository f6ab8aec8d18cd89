// The lines of a chart, and the table of numbers from which uPlot draws them.

export interface ChartPoint {
  /** Time in milliseconds since 1970. */
  readonly x: number;
  readonly y: number;
}

export interface ChartLine {
  readonly label: string;
  /** The points of the line, oldest first. */
  readonly points: readonly ChartPoint[];
  /** The colour of the line; when absent, the index of the line in the chart decides. */
  readonly colour?: LineColour;
}

/**
 * Names of colours: eight colours that lines get by their index in the chart, and the colours by which the page shows
 * how serious an event is.
 */
export const lineColours = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "good", "warn", "bad", "violet"] as const;
export type LineColour = (typeof lineColours)[number];

export type ChartStyle = "lines" | "bars" | "stacked";

/** Number of different colours. Line 9 has the colour of line 1 again. */
export const colours = 8;

/** Returns the colour of a line. `at` is the index of the line in the chart. */
export function colourAt({ colour }: ChartLine, at: number): LineColour {
  return colour ?? lineColours[at % colours]!;
}

/** Levels of log lines, by which the colours of the page show how serious a line is. */
const levelColours: Readonly<Record<string, LineColour>> = {
  ...{ emergency: "violet", alert: "violet", critical: "violet", crit: "violet", fatal: "violet" },
  ...{ error: "bad", err: "bad", warning: "warn", warn: "warn", ok: "good", success: "good" },
  ...{ info: "c0", notice: "c5", debug: "c6", trace: "c6", unknown: "c6" },
};

/**
 * Gives lines whose names are log levels, such as `error`, the colours of these levels. When several lines would get
 * the same colour, only the first one gets it, so that a user can distinguish them.
 */
export function withLevelColours(lines: readonly ChartLine[]): readonly ChartLine[] {
  const taken = new Set<LineColour>();
  return lines.map((line) => {
    const level = line.label.toLowerCase();
    const colour = Object.hasOwn(levelColours, level) ? levelColours[level]! : null;
    if (colour === null || taken.has(colour)) return line;
    taken.add(colour);
    return { ...line, colour };
  });
}

export interface Columns {
  /** Every time at which at least one line has a point, ascending. */
  readonly times: number[];
  /** For each line its value at each of `times`; null where the line has no point. */
  readonly values: (number | null)[][];
}

export function columnsOf(lines: readonly ChartLine[]): Columns {
  const times = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const places = new Map(times.map((time, at) => [time, at]));
  const values = lines.map(({ points }) => {
    const column = new Array<number | null>(times.length).fill(null);
    for (const { x, y } of points) column[places.get(x)!] = Number.isFinite(y) ? y : null;
    return column;
  });
  return { times, values };
}

/**
 * A line has a gap where two of its points are further apart than this many times the usual distance between its
 * points.
 */
const longestGap = 2.5;

/**
 * Returns the values of a line as uPlot draws them: null interrupts the line, and undefined does not. The line is not
 * interrupted at a time at which only other lines have a point, for example lines of a host that reports at other
 * seconds.
 */
export function unbroken(times: readonly number[], column: readonly (number | null)[]): (number | null | undefined)[] {
  const places = column.flatMap((value, at) => (value === null ? [] : [at]));
  const distances = places.slice(1).map((at, index) => times[at]! - times[places[index]!]!);
  const usual = distances.toSorted((a, b) => a - b)[distances.length >> 1] ?? 0;
  const drawn: (number | null | undefined)[] = [...column];
  for (const [index, distance] of distances.entries())
    if (distance <= usual * longestGap) drawn.fill(undefined, places[index]! + 1, places[index + 1]!);
  return drawn;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns where the bar of each line begins and ends at each time. A bar begins at 0; a stacked bar begins on top of
 * the bars of the previous lines. Stacked bars below zero go downwards from zero. A hidden line has only null values,
 * and takes no space.
 */
export function barsOf(values: readonly (readonly (number | null)[])[], stacked: boolean): (Span | null)[][] {
  const above = new Map<number, number>();
  const below = new Map<number, number>();
  return values.map((column) =>
    column.map((value, at) => {
      if (value === null) return null;
      if (!stacked) return { from: 0, to: value };
      const sums = value < 0 ? below : above;
      const from = sums.get(at) ?? 0;
      sums.set(at, from + value);
      return { from, to: from + value };
    }),
  );
}

/**
 * Returns a number as text with at most six digits, or in a short exponential form when it is very large or very small.
 */
export function valueText(value: number): string {
  if (value !== 0 && (Math.abs(value) >= 1e12 || Math.abs(value) < 1e-4)) return value.toExponential(2);
  return value.toLocaleString("en", { maximumSignificantDigits: Math.abs(value) >= 1e5 ? 12 : 6 });
}

const byteUnits = ["", "k", "M", "G", "T", "P"];

/**
 * Returns a number and its unit as text. Bytes (`B`, `B/s`) get three digits and a prefix in powers of 1000, such as
 * `MB`.
 */
export function unitText(value: number, unit: string): string {
  if (unit === "") return valueText(value);
  if (unit !== "B" && unit !== "B/s") return `${valueText(value)} ${unit}`;
  let at = 0;
  let scaled = value;
  for (; Math.abs(scaled) >= 999.5 && at < byteUnits.length - 1; at++) scaled /= 1000;
  return `${Number(scaled.toPrecision(3))} ${byteUnits[at]}${unit}`;
}

/** Returns a number as the label of an axis, such as `1.5k`. */
export function axisText(value: number): string {
  const size = Math.abs(value);
  for (const [unit, letter] of [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e4, "k"],
  ] as const) {
    if (size < unit) continue;
    const divisor = letter === "k" ? 1e3 : unit;
    return `${Number((value / divisor).toPrecision(6))}${letter}`;
  }
  return valueText(value);
}
