// Adds a condition to the filter of a DQL query. All other parts of the query stay as the user wrote them.

import { dqlTextOf } from "../../../../lib/dql/index.ts";
import type { FilterEdit } from "./asking.ts";
import { conditionOf, queryName } from "./query-name.ts";
import { groupBy, statementOf, tailWord, token } from "./query-parts.ts";

/**
 * Returns the query with a condition for the clicked value, or grouped by the value's key; null when the query cannot
 * be changed in this way.
 */
export function editFilter({ text, key, cell, wish }: FilterEdit): string | null {
  if (wish === "group") return groupBy(text, queryName(key));
  const condition = conditionOf(key, cell, wish);
  const before = conditionsOf(text);
  if (condition === null || before === null) return null;
  const place = placeOf(text);
  const [head, tail] = [text.slice(0, place.at), text.slice(place.at).trimStart()];
  const edited =
    place.kind === "filter"
      ? `${head.trimEnd()}${place.isEmpty ? " " : ", "}${condition} ${tail}`
      : `${head.trimEnd()} { ${condition} }${tail === "" ? "" : ` ${tail}`}`;
  const after = conditionsOf(edited);
  // The edited query is parsed as a check. When it does not have exactly one condition more than the old query,
  // the edit is dropped.
  if (after === null || after.length !== before.length + 1) return null;
  return new Set(after).size < after.length ? text : edited;
}

/** Returns the conditions of the outermost query; null when the text is no query or has an error. */
function conditionsOf(text: string): string[] | null {
  const statement = statementOf(text);
  if (statement?.type !== "query") return null;
  return statement.filterTime.flatMap((each) => (each.type === "filter" ? each.conds.map(dqlTextOf) : []));
}

/** The place in the query where a condition is inserted: at the end of its first filter, or in a new filter. */
type Place =
  | { readonly kind: "filter"; readonly at: number; readonly isEmpty: boolean }
  | { readonly kind: "new"; readonly at: number };

function placeOf(text: string): Place {
  let depth = 0;
  let free: number | null = null;
  let isEmpty = true;
  let inFilter = false;
  let end = 0;
  for (const { 0: word, index: at } of text.matchAll(token)) {
    if (/^\s/.test(word)) continue;
    if (word.startsWith("#")) continue;
    if (depth === 0) {
      if (tailWord.test(word) || word === ";") return { kind: "new", at: free ?? at };
      if (word === "{") inFilter = true;
      if (word === "[") free ??= at;
    }
    if (/^[([{]$/.test(word)) depth++;
    else if (/^[)\]}]$/.test(word)) {
      depth--;
      if (inFilter && depth === 0) return { kind: "filter", at, isEmpty };
    } else if (inFilter) isEmpty = false;
    end = at + word.length;
  }
  return { kind: "new", at: free ?? end };
}
