// The built-in keys of a point, by category (gateway document, section 2.2; agent document, B.4.2).

import type { CategoryName } from "../point/category.ts";

/** The key that holds the name of a point, by category. */
const nameKeys: Readonly<Partial<Record<CategoryName, string>>> = {
  logging: "source",
  network: "source",
  keyevent: "source",
  rum: "source",
  metric: "measurement",
  object: "class",
  custom_object: "class",
};

/**
 * Returns `category` and, for most categories, the key of the point's name. A key of the point itself takes precedence
 * over them.
 */
export function builtInKeys(category: CategoryName, name: string): readonly (readonly [key: string, value: string])[] {
  const nameKey = nameKeys[category];
  return nameKey === undefined
    ? [["category", category]]
    : [
        ["category", category],
        [nameKey, name],
      ];
}
