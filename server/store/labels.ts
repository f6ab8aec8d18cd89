// Labels of objects: one row of the workspace's table for each object, key and value (docs/reference/agent.md#object-labels).

import type { ObjectLabels, StoredKey } from "../../lib/dql/evaluate/engine.ts";
import type { CategoryName } from "../../lib/point/category.ts";

/** Objects with labels of one workspace; a store takes no more, as what answers reads them all. */
const maxObjects = 100_000;

export class TooManyObjects extends Error {}

/** Throws TooManyObjects where so many others have labels. */
export function requireRoomFor(others: number): void {
  if (others >= maxObjects) throw new TooManyObjects(`labels of ${maxObjects} objects are kept already`);
}

export type LabelRow = readonly [objectClass: string, name: string, key: string, value: string, labels: string];

/** Of a class that only custom objects have, the labels are those of custom objects. */
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
