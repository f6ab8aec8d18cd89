// The category argument of functions that make points: the name of a category or its abbreviation. The URL path of a
// category, which other parts of Millrace also accept, is refused in scripts.

import { type CategoryName, categories, categoryAlias, categoryOf } from "../../../point/category.ts";
import { didYouMean } from "../../syntax/hints.ts";
import type { Call } from "../declare.ts";

export function categoryNamed(text: string): CategoryName | undefined {
  return text.startsWith("/") ? undefined : categoryOf(text);
}

/**
 * Warns when a string literal that is passed as a category is not the name of a category, because the call then does
 * nothing.
 */
export function warnOfCategory(call: Call, index: number): void {
  const node = call.arg(index);
  if (node?.kind !== "StringLiteral" || categoryNamed(node.value) !== undefined) return;
  const names = categories.flatMap((name) => [name, categoryAlias(name)]);
  const help = didYouMean(node.value, names) ?? `a category is ${names.join(", ")}`;
  call.warn(`unknown category, the call does nothing; ${help}`, node);
}
