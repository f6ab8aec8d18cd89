// The messages between the query mode and its worker. Values of all these types can be posted between threads.

import type { CategoryName } from "../../../../lib/index.ts";

/** Type of a value in an answer. `nil` means that the row has no value. */
export type CellKind = "nil" | "int" | "float" | "bool" | "string" | "time" | "list" | "bytes";

/** A value in the answer to a query. */
export interface Cell {
  readonly kind: CellKind;
  /** The value as text, shortened when it is very long. A time is milliseconds since 1970. */
  readonly text: string;
  /** Whether `text` is shortened. A shortened value cannot be put into a filter. */
  readonly isCut?: boolean;
}

/** A series: the rows of an answer that have the same measurement and the same tags. */
export interface CellSeries {
  /** The measurement; null for all categories except metrics. */
  readonly name: string | null;
  readonly tags: readonly (readonly [key: string, value: string])[];
  /** Names of the columns; the first one is `time`. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface QueryJob {
  /** The text of the query, in DQL. */
  readonly text: string;
  /**
   * IANA name of the time zone in which days and weeks begin, for example for time buckets of one day; empty for UTC.
   */
  readonly timeZone: string;
  /** The time range for a query whose text contains no time range; null for all points. */
  readonly range: AskedRange | null;
}

/**
 * A time range: the last `lastMs` milliseconds up to now, or the time from `from` to `to`, in milliseconds since 1970.
 */
export type AskedRange = { readonly lastMs: number } | { readonly from: number; readonly to: number };

/** Where points come from: the scripts of the pipeline mode, a file of points, or the platform. */
export type PointSource = "run" | "file" | "platform";

/** The points that a mode of the page reads: their origin, their category, and their time range. */
export interface ReadPoints {
  readonly source: PointSource;
  /** The file of points that the user has chosen last; null for none. */
  readonly file: File | null;
  /** Category (such as metrics or logs) of the points in the file. */
  readonly category: CategoryName;
  /** The time range for DQL statements that contain no time range; null for all points. */
  readonly range: AskedRange | null;
}

export interface Answered {
  readonly kind: "answered";
  /** The series of the answer; only the first rows when there are very many. */
  readonly series: readonly CellSeries[];
  /** Number of all rows of the answer, including the rows that `series` leaves out. */
  readonly rows: number;
  /** Warnings about the query, and about rows that a limit cut off; empty for none. */
  readonly warning: string;
  /**
   * Pairs of a column (or tag) of the answer and the key of the points whose values this column shows. A column
   * whose values are computed is in no pair.
   */
  readonly keys: readonly (readonly [column: string, key: string])[];
  /** Explains clause by clause how the engine understands the query. */
  readonly plan: string;
  /**
   * The SQL that a platform on DuckDB would run to read the points. Empty when the text is not a query but a function
   * call, such as `show_...()` or a function over other queries.
   */
  readonly sql: string;
  readonly ms: number;
}

/** An error in a query, and the range of the text that the editor underlines, in UTF-16 units. */
export interface QueryFault {
  readonly kind: "fault";
  readonly message: string;
  readonly from: number;
  readonly to: number;
}

export type QueryAnswer = Answered | QueryFault;

export interface HeldKey {
  readonly key: string;
  /** Type of the values, such as `int`; `tag` for tags. */
  readonly kind: string;
}

/** The points of one source, such as one measurement, that the worker holds. */
export interface HeldSource {
  readonly category: CategoryName;
  /** The source as a query names it, such as `L::nginx`. */
  readonly text: string;
  readonly name: string;
  /** Number of points of the source; null when only the platform knows it. */
  readonly points: number | null;
  /** The keys of the points; only the first ones when there are very many. */
  readonly keys: readonly HeldKey[];
}

/** The points that queries read: their number and their sources. */
export interface Holding {
  /** Number of points that queries read; null when only the platform knows it. */
  readonly points: number | null;
  /** The reason why queries read only a part of the points of the run or file; empty when they read all points. */
  readonly cut: string;
  /** The sources of the points, such as measurements; only the first ones when there are very many. */
  readonly sources: readonly HeldSource[];
}

/** The reason why there are no points to query. */
export interface NoPoints {
  readonly reason: string;
}

/** Counts over the points that a query returns, for the histogram and for the lists of values beside the points. */
export interface Survey {
  /** The number of points over time, split by the values of the key that the page has chosen. */
  readonly histogram: readonly CellSeries[];
  readonly facets: readonly Facet[];
}

/** The values of a key with the number of points, the most frequent ones first. */
export interface Facet {
  readonly key: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** Number of all different values, including those that `values` leaves out. */
  readonly all: number;
}

export type Wish = "only" | "not" | "group";

/**
 * A change of a query that the user makes by a click on a value: the changed query returns only the rows with the
 * value, or only the rows without it, or it counts the points by the values of the key.
 */
export interface FilterEdit {
  readonly text: string;
  readonly key: string;
  readonly cell: Cell;
  readonly wish: Wish;
}

export interface QueryItem {
  readonly text: string;
  readonly label: string;
  readonly kind: "namespace" | "function" | "source" | "key" | "keyword";
  readonly summary: string;
}

export interface QueryItems {
  /** UTF-16 offset of the first character of the query that the chosen completion replaces. */
  readonly from: number;
  readonly items: readonly QueryItem[];
}

/** A word of the query language, for the help that the editor shows beside it. */
export interface QueryWord {
  readonly name: string;
  readonly kind: string;
  readonly summary: string;
}
