// Splits the text of a DQL query into its clauses, so that an edit leaves the other clauses as the user wrote them.

import { DqlError, namesTimeRange, parseStatement, type Statement } from "../../../../lib/dql/index.ts";

/** The clauses of a query as the user wrote them; an empty text for a clause that is missing. */
export interface QueryParts {
  /** The namespace and the source, such as `L::nginx`. */
  readonly source: string;
  /** The targets (the columns and expressions that the query selects) in parentheses, without the colon before them. */
  readonly targets: string;
  /** The conditions of the filter, with their braces. */
  readonly filters: string;
  /** The time clause, with its brackets. */
  readonly time: string;
  /** The keys after the word BY, by which the query groups. */
  readonly by: string;
  /** The clauses after the keys of BY, such as LIMIT. */
  readonly tail: string;
}

/** Matches one token: a string, a quoted name, a comment, a word, or any other single character. */
export const token =
  /#[^\n\r]*|"(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?|`[^`]*`?|[A-Za-z_\u0080-\uffff][\w.\u0080-\uffff]*|\s+|::|[\s\S]/g;

/** Matches the first words of the clauses that may follow the filter of a query. */
export const tailWord = /^(?:by|filter|link|having|order|sorder|limit|slimit|offset|soffset|tz)$/i;

/** Parses a text as a query; null when it has an error. */
export function statementOf(text: string): Statement | null {
  try {
    return parseStatement(text);
  } catch (error) {
    if (error instanceof DqlError) return null;
    throw error;
  }
}

/** Splits a query; null for a text that is no query, has an error, or joins another query. */
export function partsOf(text: string): QueryParts | null {
  const statement = statementOf(text);
  if (statement?.type !== "query" || statement.tail.some(({ type }) => type === "filterwith" || type === "link"))
    return null;
  const parts = { source: "", targets: "", filters: "", time: "", by: "", tail: "" };
  let part: keyof QueryParts = "source";
  let depth = 0;
  for (const { 0: word } of text.matchAll(token)) {
    if (word.startsWith("#") || (depth === 0 && word === ";")) continue;
    if (depth === 0) {
      if (tailWord.test(word)) {
        part = /^by$/i.test(word) ? "by" : "tail";
        if (part === "by") continue;
      } else if (part !== "by" && part !== "tail") {
        if (word === ":") {
          part = "targets";
          continue;
        }
        if (word === "{") part = "filters";
        // Brackets directly after the namespace contain the name of an index, as in L["main"]::nginx. They are no time
        // clause.
        if (word === "[" && (part !== "source" || parts.source.includes("::") || !text.includes("::"))) part = "time";
      }
    }
    if (/^[([{]$/.test(word)) depth++;
    else if (/^[)\]}]$/.test(word)) depth--;
    parts[part] += word;
  }
  for (const key of Object.keys(parts) as (keyof QueryParts)[]) parts[key] = parts[key].trim();
  return parts;
}

/** Returns the text of the query that consists of the given clauses. */
export function textOfParts({ source, targets, filters, time, by, tail }: QueryParts): string {
  const clauses = [filters, time, by === "" ? "" : `BY ${by}`, tail].filter((clause) => clause !== "");
  return [targets === "" ? source : `${source}:${targets}`, ...clauses].join(" ");
}

/** Matches one part of a time clause. The parts are separated by colons, but dates contain colons as well. */
const timePart = String.raw`((?:\d{4}-\d{1,2}-\d{1,2}(?:\s+\d{1,2}:\d{1,2}(?::\d{1,2})?)?|[^:\]])*)`;
const timeClause = new RegExp(String.raw`^\[${timePart}(?::${timePart}(?::${timePart}(?::([^\]]*))?)?)?\]$`);

/**
 * Returns the time clause `[start:end:interval:rollup]` with some parts replaced. Parts that are not given stay as they
 * are.
 */
export function withTime(
  clause: string,
  { range, interval }: { readonly range?: string; readonly interval?: string },
): string | null {
  const found = timeClause.exec(clause === "" ? "[]" : clause);
  if (found === null) return null;
  const [start = "", end = "", step = "", rollup = ""] = found.slice(1).map((part) => (part ?? "").trim());
  const parts = [range ?? `${start}:${end}`, interval ?? step, interval === undefined ? rollup : ""].join(":");
  const short = parts.replace(/:+$/, "");
  return short === "" ? "" : `[${short}]`;
}

/**
 * Returns the query with the time range from `from` to `to`, in milliseconds; null when the text of the query
 * contains no time range that could be replaced.
 */
export function editRange(text: string, { from, to }: { readonly from: number; readonly to: number }): string | null {
  const statement = statementOf(text);
  if (statement === null || !namesTimeRange(statement)) return null;
  const parts = partsOf(text);
  const time = parts === null ? null : withTime(parts.time, { range: `${Math.floor(from)}:${Math.ceil(to)}` });
  return parts === null || time === null ? null : checked(textOfParts({ ...parts, time }));
}

/**
 * Returns the query that counts the rows by a key; null when the query cannot be grouped. A query that already computes
 * values, such as counts by other keys, keeps these keys and gets the new key after them.
 */
export function groupBy(text: string, name: string): string | null {
  const parts = partsOf(text);
  if (parts === null) return null;
  const statement = statementOf(text);
  const isGrouped = statement?.type === "query" && (statement.select ?? []).some(({ expr }) => expr.type === "call");
  if (isGrouped) {
    const has = parts.by.split(",").some((each) => each.trim() === name);
    return has ? text : checked(textOfParts({ ...parts, by: parts.by === "" ? name : `${parts.by}, ${name}` }));
  }
  return checked(textOfParts({ ...parts, targets: "(count(*))", by: name, tail: "" }));
}

/** Returns the query that counts the rows of `text` over time, and also by the key `name` unless `name` is empty. */
export function countsOverTime(text: string, name: string): string | null {
  const parts = rowParts(text);
  const time = parts === null ? null : withTime(parts.time, { interval: "auto(60)" });
  return parts === null || time === null ? null : checked(textOfParts({ ...parts, time, by: name }));
}

/** Returns the query that counts the rows of `text` by the key `name`. */
export function countsByKey(text: string, name: string): string | null {
  const parts = rowParts(text);
  const time = parts === null ? null : withTime(parts.time, { interval: "" });
  return parts === null || time === null ? null : checked(textOfParts({ ...parts, time, by: name }));
}

/**
 * Returns the clauses of a query that returns the points themselves; null when the query groups points or computes
 * values from them.
 */
function rowParts(text: string): QueryParts | null {
  const statement = statementOf(text);
  const parts = partsOf(text);
  if (parts === null || parts.by !== "" || statement?.type !== "query") return null;
  if ((statement.select ?? []).some(({ expr }) => expr.type !== "col" && expr.type !== "star")) return null;
  return { ...parts, targets: "(count(*))", tail: "" };
}

function checked(text: string): string | null {
  return statementOf(text) === null ? null : text;
}
