// Writes the answer to a query as CSV (RFC 4180, but with `\n` as line end). All series are written into one
// table; the name and the tags of a series are columns of this table. A missing value is an empty cell, and an
// empty string is `""`. Times are milliseconds since 1970.

import { encodeBase64 } from "../../text/base64.ts";
import type { AnswerSeries } from "../evaluate/evaluate.ts";
import type { DqlValue } from "../evaluate/values/value.ts";
import { valueJson } from "../evaluate/values/value-json.ts";
import type { StepBudget } from "../semantics/step-budget.ts";
import { distinctNames } from "../syntax/text.ts";

/**
 * Returns the CSV string. Every line, including the last one, ends with a line end. The string is empty when there are
 * no series.
 */
export function csvText(series: readonly AnswerSeries[], work: StepBudget): string {
  if (series.length === 0) return "";
  const hasName = series.some(({ name }) => name !== null);
  const tags = [...new Set(series.flatMap((each) => [...(each.tags?.keys() ?? [])]))];
  const columns = [...new Set(series.flatMap((each) => each.columns))];
  const head = distinctNames([...(hasName ? ["name"] : []), ...tags, ...columns]);
  const lines = [line(head)];
  for (const { name, tags: own, columns: named, values } of series) {
    const places = columns.map((column) => named.indexOf(column));
    const first = [...(hasName ? [name] : []), ...tags.map((tag) => own?.get(tag) ?? null)];
    for (const row of values) {
      work(1);
      lines.push(line([...first, ...places.map((at) => row[at] ?? null)]));
    }
  }
  return lines.join("");
}

function line(values: readonly DqlValue[]): string {
  return `${values.map(cell).join(",")}\n`;
}

function cell(value: DqlValue): string {
  if (value === null || (typeof value === "number" && !Number.isFinite(value))) return "";
  const text = typeof value === "string" ? value : value instanceof Uint8Array ? encodeBase64(value) : valueJson(value);
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
