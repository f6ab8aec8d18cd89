// Labels of objects: one row of a workspace's table for each object, key and value (docs/reference/agent.md#object-labels).

import type { ObjectLabels, StoredKey } from "../../lib/dql/index.ts";
import type { CategoryName } from "../../lib/point/index.ts";

/** Maximum number of objects with labels in a workspace, because queries read all of them. */
const maxObjects = 100_000;

export class TooManyObjects extends Error {}

/** Throws TooManyObjects when too many other objects have labels. */
export function requireRoomFor(others: number): void {
  if (others >= maxObjects) throw new TooManyObjects(`labels of ${maxObjects} objects are kept already`);
}

export type LabelRow = readonly [objectClass: string, name: string, key: string, value: string, labels: string];

/** Returns the labels for a category. A class that only custom objects have keeps its labels there. */
export function labelsOf(
  rows: readonly LabelRow[],
  stored: { readonly keys: (category: CategoryName) => readonly StoredKey[] },
  category: "object" | "custom_object",
): readonly ObjectLabels[] {
  const classes = (of: CategoryName) => new Set(stored.keys(of).map(({ name }) => name));
  const [objects, custom] = [classes("object"), classes("custom_object")];
  return rows
    .filter(([of]) => (custom.has(of) && !objects.has(of)) === (category === "custom_object"))
    .map(([objectClass, objectName, key, value, labels]) => {
      return { objectClass, objectName, key, value, labels: JSON.parse(labels) as string[] };
    });
}
