// Formats answers of example queries as text columns for the user's guide.

import type { AnswerSeries } from "../evaluate/evaluate.ts";
import type { DqlValue } from "../evaluate/values/value.ts";
import { valueJson } from "../evaluate/values/value-json.ts";

/**
 * Returns all series as text, one below the other: each has a line with its name and tags, then its rows. The text ends
 * with a line end.
 */
export function columnsText(series: readonly AnswerSeries[]): string {
  if (series.length === 0) return "no rows\n";
  return series
    .map(({ name, tags, columns, values }) => {
      const title = [...(name === null ? [] : [name]), ...[...(tags ?? [])].map(([key, value]) => `${key}=${value}`)];
      const rows = [columns, ...values.map((row) => row.map((value, at) => shown(value, columns[at]!)))];
      const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
      const lines = rows.map((row) =>
        row
          .map((text, at) => text.padEnd(widths[at]!))
          .join("  ")
          .trimEnd(),
      );
      return [...(title.length === 0 ? [] : [title.join("  ")]), ...lines, ""].join("\n");
    })
    .join("\n");
}

function shown(value: DqlValue, column: string): string {
  if (column === "time" && typeof value === "bigint" && value > 0n) return new Date(Number(value)).toISOString();
  if (value === null) return "-";
  return typeof value === "string" ? value : valueJson(value);
}
