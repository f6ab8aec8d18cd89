// The keys that a point has besides its own, by category (docs/reference/gateway.md#headers-from-an-agent; docs/reference/agent.md#filters).

import type { CategoryName } from "../point/category.ts";

/** The key under which the name of a point is known. */
const nameKeys: Readonly<Partial<Record<CategoryName, string>>> = {
  logging: "source",
  network: "source",
  keyevent: "source",
  rum: "source",
  metric: "measurement",
  object: "class",
  custom_object: "class",
};

/** `category` and, for most categories, the key of the point's name; a key of the point itself comes before them. */
export function builtInKeys(category: CategoryName, name: string): readonly (readonly [key: string, value: string])[] {
  const nameKey = nameKeys[category];
  return nameKey === undefined
    ? [["category", category]]
    : [
        ["category", category],
        [nameKey, name],
      ];
}
