// The messages between the explore mode and its worker. All types in this file can be posted between threads.

import type { CategoryName } from "../../../../lib/index.ts";
import type { AskedRange, Cell, HeldKey, Wish } from "./asking.ts";

/** The functions that a chart can apply to a field, by the names that the page shows. */
export const chartFunctions = ["mean", "max", "min", "sum", "count", "last"] as const;
export type ChartFunction = (typeof chartFunctions)[number];

/** A measurement that the user can explore. `text` is the measurement as a query names it, such as `L::nginx`. */
export interface ExploredSource {
  readonly category: CategoryName;
  readonly text: string;
  readonly name: string;
}

/** A condition that the user set by a click on a value. */
export interface Condition {
  readonly key: string;
  readonly cell: Cell;
  readonly wish: Exclude<Wish, "group">;
}

/** A text that the values of a key must contain, in upper or lower case. */
export interface TextSearch {
  readonly key: string;
  readonly text: string;
}

/** The values that a chart draws over time. */
export interface Drawn {
  readonly fn: ChartFunction;
  /** The field that is drawn; null for the number of points. */
  readonly field: string | null;
  /** The key by which the points are grouped; null when all points make one line of the chart. */
  readonly by: string | null;
}

/** The user's choice in the explore mode: the points, and whether to list or to draw them. */
export interface ExploreChoice {
  readonly source: ExploredSource;
  /** The text that the user searches for in the points; null for none. */
  readonly search: TextSearch | null;
  readonly conditions: readonly Condition[];
  /** The values that the chart draws; null when the points are listed. */
  readonly drawn: Drawn | null;
}

/** The settings that all counting queries share. These queries have no buckets of time, so they need no time zone. */
export interface CountJob {
  /** The time range; null for all points. */
  readonly range: AskedRange | null;
}

/** A key of a measurement, with the number of points that have this key; the number is null while it is unknown. */
export interface KeyCount extends HeldKey {
  readonly points: number | null;
}

/** The most frequent values of a key. */
export interface KeyValues {
  readonly key: string;
  readonly values: readonly { readonly cell: Cell; readonly count: number }[];
  /** Number of all values, including those that `values` leaves out; null when it is unknown. */
  readonly all: number | null;
}
