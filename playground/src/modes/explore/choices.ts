// What can be drawn, grouped and searched in the points of a measurement, and what is shown of it first.

import type { CategoryName } from "../../../../lib/index.ts";
import { t } from "../../text/translate.ts";
import type { HeldKey } from "../../worker/query-run/asking.ts";
import type { Drawn } from "../../worker/query-run/exploring.ts";

type Keys = readonly HeldKey[];

/** Keys that the platform adds to each point. They say nothing about the data. */
const added = new Set(["time", "create_time", "date_ns", "time_us", "index", "__docid", "__source", "__namespace"]);
/** Keys by which points are grouped first, and in which a search looks first; the best ones first. */
const groups = ["status", "level", "df_status"];
const texts = ["message", "df_message", "title", "df_title", "resource", "operation", "name"];

const isNumber = ({ kind }: HeldKey) => kind === "float" || kind === "int" || kind === "uint";

/** Returns the keys that the data brought along, tags first, each once. */
export function ownKeys<Key extends HeldKey>(keys: readonly Key[]): readonly Key[] {
  const seen = new Set<string>();
  const own = keys.filter(({ key }) => !added.has(key) && !seen.has(key) && seen.add(key));
  const rank = ({ kind }: HeldKey) => (kind === "tag" ? 0 : 1);
  return own.toSorted((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Whether points of a category are shown as a list of lines first. Metrics are drawn only. */
export function hasLines(category: CategoryName): boolean {
  return category !== "metric";
}

export interface Fields {
  readonly numbers: readonly string[];
  /** Fields of other kinds, which can only be counted. */
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

/** Returns the first chart of a measurement: the number of points by status, or a number of a metric. */
export function firstDrawn(category: CategoryName, keys: Keys): Drawn {
  const [number] = fieldsOf(keys).numbers;
  if (!hasLines(category) && number !== undefined) return { fn: "mean", field: number, by: null };
  const own = ownKeys(keys);
  return { fn: "count", field: null, by: groups.find((each) => own.some(({ key }) => key === each)) ?? null };
}

/** Returns the chart of another field. A field without numbers is counted, and a number is drawn as its mean first. */
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
