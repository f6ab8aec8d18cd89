// Copies some points of one write as JSON texts, before and after the script runs, on the thread that processes the
// write. Long values are shortened, so that every sampled point is small.

import {
  type CategoryName,
  Float,
  isBytes,
  kindOf,
  PointArray,
  type PointValue,
  Uint,
} from "../../../lib/point/index.ts";
import { type Engine, Point, type PointSeries, type PointView, plErrorText, type RunResult } from "../engine.ts";

/** Limits the sample that is taken from one write. */
export interface SampleOrder {
  /** Largest number of points that are sampled from the write. */
  readonly points: number;
}

/** Largest number of tags and fields of a sampled point. */
const mostEntries = 60;
/** Largest number of characters of a value, a key, or the name of a sampled point. */
const longestText = 300;

/** Samples the points of one write. */
export interface PointSampler {
  /**
   * Begins to sample the first points of a batch, before scripts run over them. `indexes`: the indexes of the points
   * that may be sampled; undefined when all points may be sampled. Returns the texts of the points by index.
   */
  begin(points: PointSeries, indexes?: readonly number[]): ReadonlyMap<number, string>;
  /** Samples one point after the script has run over it. `before`: the text that `begin` returned for the point. */
  finish(before: string, point: PointView, result: RunResult): void;
  /** Samples points of a write that has no script. `indexes` as in `begin`. */
  passBy(points: PointSeries, indexes?: readonly number[]): void;
  /** Returns the sampled points, each as the text of a JSON object. */
  end(): readonly string[];
}

/** Creates the sampler of one write. `scriptName`: file name of the script; empty when no single script runs. */
export function createPointSampler(
  { points: most }: SampleOrder,
  engine: Pick<Engine, "correct">,
  category: CategoryName,
  scriptName: string,
): PointSampler {
  const taken: string[] = [];
  /** Number of points that are sampled, including those that the script is processing. */
  let begun = 0;
  const begin = (points: PointSeries, indexes?: readonly number[]): ReadonlyMap<number, string> => {
    const befores = new Map<number, string>();
    const count = indexes?.length ?? points.length;
    for (let nth = 0; nth < count && begun < most; nth++, begun++) {
      const at = indexes?.[nth] ?? nth;
      befores.set(at, pointJson(points.at(at)));
    }
    return befores;
  };

  return {
    begin,
    finish: (before, point, { error, dropped, created, window }) => {
      const after = dropped ? "null" : pointJson(corrected(engine, point, category));
      const fault = error === null ? "" : `,"error":${JSON.stringify(shortened(plErrorText(error)))}`;
      const made = created.length + window.length;
      taken.push(
        `{${head(category, scriptName)},"dropped":${dropped},"created":${made}${fault},"before":${before},"after":${after}}`,
      );
    },
    passBy: (points, indexes) => {
      for (const before of begin(points, indexes).values()) {
        taken.push(`{${head(category, "")},"dropped":false,"created":0,"before":${before},"after":${before}}`);
      }
    },
    end: () => taken,
  };
}

function head(category: CategoryName, script: string): string {
  return `"at":${Date.now()},"category":"${category}","script":${JSON.stringify(script)}`;
}

/** Returns a copy of the point with the corrections that the agent makes before it sends the point. */
function corrected(engine: Pick<Engine, "correct">, point: PointView, category: CategoryName): Point {
  const copy = Point.copyOf(point);
  engine.correct(copy, category);
  return copy;
}

function pointJson(point: PointView): string {
  const entries: string[] = [];
  let count = 0;
  for (const { key, value, isTag } of point.entries()) {
    if (++count <= mostEntries) entries.push(entryJson(key, value, isTag));
  }
  const leftOut = count > mostEntries ? `,"left_out":${count - mostEntries}` : "";
  return `{"name":${JSON.stringify(shortened(point.name))},"time":"${point.time}","entries":[${entries.join(",")}]${leftOut}}`;
}

function entryJson(key: string, value: PointValue, isTag: boolean): string {
  const text = valueText(value);
  const length = text.length > longestText ? `,"length":${text.length}` : "";
  return (
    `{"key":${JSON.stringify(shortened(key))},"kind":"${kindOf(value)}","isTag":${isTag},` +
    `"text":${JSON.stringify(shortened(text))}${length}}`
  );
}

function shortened(text: string): string {
  // When shortening a text splits a surrogate pair, the first half of the pair is removed.
  return text.length > longestText ? text.slice(0, longestText).replace(/[\ud800-\udbff]$/, "") : text;
}

/** Returns a value as text. A float without a fraction gets `.0`, so that it does not look like an integer. */
function valueText(value: PointValue): string {
  if (value === null) return "";
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof PointArray) return `[${value.elements.slice(0, mostEntries).map(elementText).join(", ")}]`;
  if (value instanceof Uint8Array) return `${value.length} bytes ${Buffer.from(value.subarray(0, 64)).toString("hex")}`;
  return isBytes(value) ? value.toString() : String(value);
}

function elementText(value: PointValue): string {
  return typeof value === "string" || isBytes(value) ? JSON.stringify(value.toString()) : valueText(value);
}

function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
}
