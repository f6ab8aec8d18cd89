// Computes the column names of a series, without `time` (docs/reference/query.md#answers).

import { compareText } from "../../text/utf8.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import { collapseFields, outerCalls, valueColumns } from "../semantics/targets.ts";
import type { Row } from "./row.ts";

/** Columns that come before all other columns when a query asks for all columns. */
const leading = ["time_us", "__docid", "__source", "__namespace"];

/** Returns the names of the columns that the query asks for; null when it asks for all columns. */
export function columnNames(query: ResolvedQuery): string[] | null {
  if (query.columns.length === 0) return null;
  const collapse = query.columns
    .flatMap(({ expr }) => outerCalls(expr))
    .find(({ name }) => name === "distinct_by_collapse");
  return [...valueColumns(query).map(({ name }) => name), ...(collapse === undefined ? [] : collapseFields(collapse))];
}

/**
 * Returns the names of all columns that the rows of an answer have. The keys in `hidden` are left out, because they are
 * tags of the series.
 */
export function allColumns(
  query: ResolvedQuery,
  rows: readonly Row[],
  hidden: ReadonlySet<string>,
  work: StepBudget,
): string[] {
  const keysOf = (of: "fields" | "tags") => {
    const keys = new Set<string>();
    for (const row of countSteps(rows, work)) for (const key of row[of].keys()) keys.add(key);
    return [...keys].filter((key) => !hidden.has(key)).sort(compareText);
  };
  const fields = keysOf("fields");
  // When a key is a field in some rows and a tag in others, the column shows the field.
  const tags = keysOf("tags").filter((key) => !fields.includes(key));
  if (query.namespace.category === "metric") return [...fields, ...tags];
  const all = [...fields, ...tags].sort(compareText);
  return [...leading, ...all.filter((key) => key === "message"), ...all.filter((key) => key !== "message")];
}
