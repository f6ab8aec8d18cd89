// Chooses among the keys of a measurement: which fields can be drawn, by which keys points can be grouped, in which key
// a search looks, and what the page shows first.

import type { CategoryName } from "../../../../lib/index.ts";
import { t } from "../../text/translate.ts";
import type { HeldKey } from "../../worker/query-run/asking.ts";
import type { Drawn } from "../../worker/query-run/exploring.ts";

type Keys = readonly HeldKey[];

/** Keys that the platform adds to each point. They say nothing about the data. */
const added = new Set(["time", "create_time", "date_ns", "time_us", "index", "__docid", "__source", "__namespace"]);
/** The keys that are preferred for grouping (`groups`) and for searching (`texts`), the best one first. */
const groups = ["status", "level", "df_status"];
const texts = ["message", "df_message", "title", "df_title", "resource", "operation", "name"];

const isNumber = ({ kind }: HeldKey) => kind === "float" || kind === "int" || kind === "uint";

/**
 * Returns the keys that the senders gave the points, without the keys that the platform adds: each key once, tags
 * first.
 */
export function ownKeys<Key extends HeldKey>(keys: readonly Key[]): readonly Key[] {
  const seen = new Set<string>();
  const own = keys.filter(({ key }) => !added.has(key) && !seen.has(key) && seen.add(key));
  const rank = ({ kind }: HeldKey) => (kind === "tag" ? 0 : 1);
  return own.toSorted((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Whether the page first lists the points of a category as lines. Metrics are only drawn as charts. */
export function hasLines(category: CategoryName): boolean {
  return category !== "metric";
}

export interface Fields {
  readonly numbers: readonly string[];
  /** Fields that hold no numbers. A chart can only count the points that have them. */
  readonly others: readonly string[];
}

export function fieldsOf(keys: Keys): Fields {
  const fields = ownKeys(keys).filter(({ kind }) => kind !== "tag");
  return {
    numbers: fields.filter(isNumber).map(({ key }) => key),
    others: fields.filter((each) => !isNumber(each)).map(({ key }) => key),
  };
}

export interface Groups {
  readonly tags: readonly string[];
  /** Fields by which points can be grouped; metrics are grouped by tags only. */
  readonly fields: readonly string[];
}

export function groupsOf(category: CategoryName, keys: Keys): Groups {
  const own = ownKeys(keys);
  const fields = hasLines(category) ? own.filter(({ kind }) => kind !== "tag" && kind !== "float") : [];
  return { tags: own.filter(({ kind }) => kind === "tag").map(({ key }) => key), fields: fields.map(({ key }) => key) };
}

/** Returns the key in which a search looks; null when no field holds text. */
export function searchKeyOf(category: CategoryName, keys: Keys): string | null {
  if (!hasLines(category)) return null;
  const fields = ownKeys(keys).filter(({ kind }) => kind === "str" || kind === "string");
  return texts.find((each) => fields.some(({ key }) => key === each)) ?? fields[0]?.key ?? null;
}

/**
 * Returns the chart that the page draws first for a measurement. For metrics it is the mean of a numeric field,
 * otherwise the number of points, grouped by a key such as the status.
 */
export function firstDrawn(category: CategoryName, keys: Keys): Drawn {
  const [number] = fieldsOf(keys).numbers;
  if (!hasLines(category) && number !== undefined) return { fn: "mean", field: number, by: null };
  const own = ownKeys(keys);
  return { fn: "count", field: null, by: groups.find((each) => own.some(({ key }) => key === each)) ?? null };
}

/**
 * Returns the chart that the page draws after the user has chosen another field. For a field without numbers the chart
 * counts the points. For a field with numbers it shows their mean when the previous chart counted points; otherwise it
 * applies the function of the previous chart.
 */
export function drawnField(drawn: Drawn, field: string | null, keys: Keys): Drawn {
  const hasNumbers = field !== null && fieldsOf(keys).numbers.includes(field);
  const wasCount = drawn.field === null || !fieldsOf(keys).numbers.includes(drawn.field);
  return { ...drawn, field, fn: hasNumbers ? (wasCount ? "mean" : drawn.fn) : "count" };
}

/** Names a chart, such as `mean of usage by host`. */
export function drawnText({ fn, field, by }: Drawn): string {
  if (field === null) return by === null ? t("number of points") : t("number of points by {by}", { by });
  return by === null ? t("{fn} of {field}", { fn, field }) : t("{fn} of {field} by {by}", { fn, field, by });
}
