// Fills in the generated parts of the user's guide: tables made from the declared functions, and the answer
// after each example query. The file takes the text of the guide and returns the filled text.

import { runQuery } from "../answer/run.ts";
import { showFunctions } from "../answer/show.ts";
import { memoryEngine } from "../evaluate/engine.ts";
import type { AnswerSeries } from "../evaluate/evaluate.ts";
import { valueJson } from "../evaluate/values/value-json.ts";
import { type DqlFunction, functions } from "../semantics/functions.ts";
import { readRequest } from "../semantics/request.ts";
import { rollupNames } from "../semantics/rollup.ts";
import { namespaces } from "../syntax/namespaces.ts";
import { exampleNow, exampleRows } from "./example-data.ts";
import { functionExamples } from "./function-examples.ts";
import { columnsText } from "./guide-table.ts";

const engine = memoryEngine(exampleRows);

export async function exampleAnswer(statement: string): Promise<readonly AnswerSeries[]> {
  const { queries } = readRequest({ queries: [{ query: statement, max_duration: "1d" }] });
  return (await runQuery(queries[0]!, engine, { now: exampleNow, defaultRangeMs: 600_000 })).series;
}

/**
 * Returns the guide with its tables and answers filled in. A table lies between `<!-- name -->` and `<!-- end -->`; an
 * example query is a ` ```dql ` block that is followed by a ` ```text ` block for its answer.
 */
export async function filledGuide(text: string): Promise<string> {
  let filled = text;
  for (const [name, table] of Object.entries(tables)) {
    const written = await table();
    const [before, ...parts] = filled.split(`<!-- ${name} -->\n`);
    filled = [before, ...parts.map((part) => `\n${written}\n\n${part.slice(part.indexOf("<!-- end -->"))}`)].join(
      `<!-- ${name} -->\n`,
    );
  }
  const parts = filled.split(/(```dql\n[\s\S]*?\n```\n\n```text\n)[\s\S]*?(```\n)/g);
  for (const [at, part] of parts.entries()) {
    if (at % 3 !== 1) continue;
    const statement = /^```dql\n([\s\S]*?)\n```\n/.exec(part)![1]!;
    parts[at] = `${part}${columnsText(await exampleAnswer(statement))}`;
  }
  return parts.join("");
}

const tables: Readonly<Record<string, () => string | Promise<string>>> = {
  namespaces: () =>
    table(
      ["Short", "Long", "Points", "The source is"],
      namespaces.map(({ short, long, category, rows, sourceKeys }) => [
        `\`${short}::\``,
        `\`${long}::\``,
        `${category.replace("_", " ")}${rows === "all" ? "" : `, ${rows} only`}`,
        sourceKeys.map((key) => (key === "__source" ? "the point's name" : `\`${key}\``)).join(", else "),
      ]),
    ),
  functions: async () => {
    const rows: string[][] = [];
    for (const each of functions) {
      const example = functionExamples[each.name];
      const shown = example === undefined ? "" : `\`${cell(example)}\` → ${cell(await resultOf(example))}`;
      rows.push([`\`${each.name}\``, cell(where(each)), cell(each.summary), shown]);
    }
    return table(["Function", "Of", "Gives", "Example"], rows);
  },
  rollups: () => rollupNames.map((name) => `\`${name}\``).join(", "),
  shows: () => showFunctions.map((name) => `\`${name}()\``).join(", "),
};

function where({ where: place, kind }: DqlFunction): string {
  const places = { all: "all", metric: "M", others: "all but M" }[place];
  return kind === "filter" ? `${places}, in filters` : places;
}

/**
 * Returns the answer to a statement as text: for each series, the values of its tags, then the values of its rows
 * without their times.
 */
async function resultOf(statement: string): Promise<string> {
  const series = await exampleAnswer(statement);
  return series
    .map(({ tags, values }) => {
      const rows = values.map((row) => row.slice(1).map(shortValue).join(", "));
      const named = tags === null ? "" : `${[...tags.values()].map((value) => value || '""').join(", ")}: `;
      return named + rows.join("; ");
    })
    .join(" / ");
}

function shortValue(value: Parameters<typeof valueJson>[0]): string {
  return typeof value === "number" ? String(Math.round(value * 1e6) / 1e6) : valueJson(value);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
