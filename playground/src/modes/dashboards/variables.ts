// Variables of a dashboard: their members in the template, and where their values come from. fill-query.ts puts the
// values into queries.

import type { Series } from "../../panes/dashboards/api.ts";
import type { Json } from "../../panes/dashboards/template.ts";
import { english } from "../../text/translate.ts";

export interface Variable {
  readonly code: string;
  readonly name: string;
  /** The query whose answer holds the values of the variable; empty when the values are a fixed list. */
  readonly query: string;
  readonly values: readonly string[];
  /** The value that is selected when the dashboard opens; null when the dashboard names none. */
  readonly first: string | null;
  /** Whether the user can choose the value `all` for the variable. */
  readonly hasAll: boolean;
  readonly isHidden: boolean;
  /** The reason why the values could not be found; empty when they were found. */
  readonly problem: string;
}

/** The value that stands for all values of a variable. */
export const all = "*";
/** Largest number of values that the user can choose from. */
export const mostValues = 500;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export function readVariable(raw: Json): Variable | null {
  const code = textOf(raw.code);
  if (code === "") return null;
  const definition = (typeof raw.definition === "object" && raw.definition !== null ? raw.definition : {}) as Json;
  const type = textOf(raw.type).toUpperCase();
  const { query, values, problem } = sourceOf(type, definition);
  return {
    code,
    name: textOf(raw.name) || code,
    query,
    values,
    first: firstOf(definition.defaultVal),
    hasAll: !raw.isHiddenAsterisk,
    isHidden: raw.hide === 1 || raw.hide === true,
    problem,
  };
}

function sourceOf(
  type: string,
  { value, metric, tag, field, object }: Json,
): Pick<Variable, "query" | "values" | "problem"> {
  const [text, source, key] = [textOf(value), textOf(metric), textOf(tag) || textOf(field)];
  const none = { query: "", values: [], problem: "" };
  if (type.includes("LIST"))
    return {
      ...none,
      values: text
        .split(",")
        .map((each) => each.trim())
        .filter((each) => each !== ""),
    };
  if (Array.isArray(value)) return { ...none, values: value.filter((each) => typeof each === "string") };
  if (type.includes("PROMQL"))
    return { ...none, problem: english("its values come from a PromQL query, which is not asked here") };
  if (text !== "") return { ...none, query: text };
  if (source !== "" && key !== "") return { ...none, query: `M::${nameText(source)}:(distinct(${nameText(key)}))` };
  if (textOf(object) !== "")
    return { ...none, query: `O::${nameText(textOf(object))}:(distinct(${nameText(key || "name")}))` };
  return { ...none, problem: english("the dashboard does not say where its values come from") };
}

/** In a template, the default value of a variable is a text, or an object with a text, or a list of these. */
function firstOf(value: unknown): string | null {
  const one = Array.isArray(value) ? value[0] : value;
  if (typeof one === "string") return one === "" ? null : one;
  const own = textOf((one as Json | null | undefined)?.value);
  return own === "" ? null : own;
}

/**
 * Returns the values in an answer. For a series with tags these are the values of the tags; for a series without tags
 * they are the values of all columns except the time.
 */
export function valuesOf(series: readonly Series[]): readonly string[] {
  const values = series.flatMap(({ tags, columns, values: rows }) => {
    const own = Object.values(tags ?? {});
    if (own.length > 0) return own;
    const time = columns.indexOf("time");
    return rows.flatMap((row) => row.filter((_, at) => at !== time));
  });
  const texts = values.flatMap((value) => (value === null || typeof value === "object" ? [] : [String(value)]));
  return [...new Set(texts)]
    .filter((text) => text !== "")
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .slice(0, mostValues);
}

const plainName = /^[A-Za-z_]\w*$/;

/** Returns a name in the form in which a query writes it, in backquotes if needed. */
export function nameText(name: string): string {
  return plainName.test(name) ? name : `\`${name.replaceAll("`", "")}\``;
}
