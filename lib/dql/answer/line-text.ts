// Writes the rows of an answer as points in line protocol (docs/reference/query.md#requests). The times of the answer,
// in milliseconds, are written in nanoseconds. A row without a time, and a row of a show_...() function, is written
// without a timestamp.

import { encodeBase64 } from "../../text/base64.ts";
import type { AnswerSeries } from "../evaluate/evaluate.ts";
import { type DqlValue, isList } from "../evaluate/values/value.ts";
import { valueJson } from "../evaluate/values/value-json.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import type { StepBudget } from "../semantics/step-budget.ts";

/** Returns one line for each row; skips rows that have no values. */
export function lineTexts(series: readonly AnswerSeries[], query: ResolvedQuery | null, work: StepBudget): string[] {
  return series.flatMap((each) => {
    const hasTime = each.columns[0] === "time";
    const source = each.columns.indexOf("__source");
    const fallback = each.name ?? sourceName(query);
    return each.values.flatMap((row) => {
      work(1);
      const tags: (readonly [string, string])[] = [...(each.tags ?? [])];
      const fields: string[] = [];
      for (const [at, column] of each.columns.entries()) {
        const value = row[at] ?? null;
        if ((hasTime && at === 0) || value === null) continue;
        if (each.tagColumns?.has(column) === true && typeof value === "string") tags.push([column, value]);
        else {
          const text = fieldText(value);
          if (text !== null) fields.push(`${keyText(column)}=${text}`);
        }
      }
      if (fields.length === 0) return [];
      const name = source < 0 ? fallback : String(row[source] ?? fallback);
      const written = tags.flatMap(([key, value]) => (value === "" ? [] : [`,${keyText(key)}=${keyText(value)}`]));
      return [`${nameText(name)}${written.join("")} ${fields.join(",")}${hasTime ? timeText(row[0] ?? null) : ""}`];
    });
  });
}

/**
 * Returns the measurement for rows that do not have the name of a stored point. It is the first source of the
 * query if this source is a name, and otherwise the name of the query's namespace. Without a query, it is the
 * string `answer`.
 */
function sourceName(query: ResolvedQuery | null): string {
  if (query === null) return "answer";
  const [only] = "list" in query.source ? query.source.list : [];
  return only !== undefined && "name" in only ? only.name : query.namespace.long;
}

function timeText(time: DqlValue): string {
  if (typeof time === "bigint") return ` ${time * 1_000_000n}`;
  return typeof time === "number" && Number.isFinite(time) ? ` ${BigInt(Math.round(time)) * 1_000_000n}` : "";
}

const signedEnd = 2n ** 63n;

/** Returns a field's value in the syntax of line protocol; null for a value that line protocol cannot express. */
function fieldText(value: Exclude<DqlValue, null>): string | null {
  if (typeof value === "bigint") return value < signedEnd ? `${value}i` : `${value}u`;
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : null;
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return stringText(value);
  return stringText(isList(value) ? valueJson(value) : encodeBase64(value as Uint8Array));
}

function stringText(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/**
 * Removes line ends from a name, key or tag value, and removes backslashes at its end, because line protocol has
 * no escapes for them.
 */
function bare(text: string): string {
  return text.replace(/[\r\n]+/g, " ").replace(/\\+$/, "");
}

function nameText(text: string): string {
  return bare(text).replace(/[, ]/g, "\\$&");
}

function keyText(text: string): string {
  return bare(text).replace(/[,= ]/g, "\\$&");
}
