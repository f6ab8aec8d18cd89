// Computes the names of a series' columns, without `time` (docs/reference/query.md#answers).

import { compareText } from "../../text/utf8.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { type StepBudget, stepped } from "../semantics/step-budget.ts";
import { collapseFields, outerCalls, valueColumns } from "../semantics/targets.ts";
import type { Row } from "./row.ts";

/** Columns that come first when all columns are requested. */
const leading = ["time_us", "__docid", "__source", "__namespace"];

/** Returns the names of the requested columns; null when all columns are requested. */
export function columnNames(query: ResolvedQuery): string[] | null {
  if (query.columns.length === 0) return null;
  const collapse = query.columns
    .flatMap(({ expr }) => outerCalls(expr))
    .find(({ name }) => name === "distinct_by_collapse");
  return [...valueColumns(query).map(({ name }) => name), ...(collapse === undefined ? [] : collapseFields(collapse))];
}

/** Returns all columns of an answer's rows, except the keys in `hidden`, which are tags of its series. */
export function allColumns(
  query: ResolvedQuery,
  rows: readonly Row[],
  hidden: ReadonlySet<string>,
  work: StepBudget,
): string[] {
  const keysOf = (of: "fields" | "tags") => {
    const keys = new Set<string>();
    for (const row of stepped(rows, work)) for (const key of row[of].keys()) keys.add(key);
    return [...keys].filter((key) => !hidden.has(key)).sort(compareText);
  };
  const fields = keysOf("fields");
  // When a key is both field and tag, the field is shown.
  const tags = keysOf("tags").filter((key) => !fields.includes(key));
  if (query.namespace.category === "metric") return [...fields, ...tags];
  const all = [...fields, ...tags].sort(compareText);
  return [...leading, ...all.filter((key) => key === "message"), ...all.filter((key) => key !== "message")];
}
