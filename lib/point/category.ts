// The ten categories of points, with their names in URLs and headers (docs/reference/points.md#categories).

import { requireOneOf, requireString } from "../text/argument.ts";

const table = [
  ["metric", "M"],
  ["network", "N"],
  ["keyevent", "E"],
  ["object", "O"],
  ["custom_object", "CO"],
  ["logging", "L"],
  ["tracing", "T"],
  ["rum", "R"],
  ["security", "S"],
  ["profiling", "P"],
] as const;

/** The long name of a category. */
export type CategoryName = (typeof table)[number][0];

/** The names of all categories. */
export const categories: readonly CategoryName[] = table.map(([name]) => name);

const byText = new Map<string, CategoryName>();
for (const [name, alias] of table) {
  byText.set(name, name);
  byText.set(alias, name);
  byText.set(`/v1/write/${name}`, name);
}

/**
 * Returns the category with the given name, abbreviation or URL path; undefined when there is none. Upper and lower
 * case are distinguished.
 *
 * @example
 * categoryOf("L"); // "logging"
 */
export function categoryOf(text: string): CategoryName | undefined {
  requireString("categoryOf", "text", text);
  return byText.get(text);
}

/**
 * Returns the upper-case abbreviation of a category.
 *
 * @example
 * categoryAlias("logging"); // "L"
 */
export function categoryAlias(name: CategoryName): string {
  requireOneOf("categoryAlias", "name", name, categories);
  return table.find(([each]) => each === name)![1];
}
