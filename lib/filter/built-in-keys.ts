// The built-in keys of a point, which conditions can use besides its tags and fields; they depend on the category
// (docs/reference/gateway.md#headers-from-an-agent; docs/reference/agent.md#filters).

import type { CategoryName } from "../point/category.ts";

/** The key whose value is the name of a point, for each category. */
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
 * Returns the key `category` and, for most categories, the key whose value is the point's name. A tag or field with the
 * same key takes precedence over a built-in key.
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
