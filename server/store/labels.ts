// Labels that users attach to objects such as hosts. A labelled object is identified by its class, its name, a
// key and the value of this key. All labels of an object are stored in one row
// (docs/reference/agent.md#object-labels).

import type { ObjectLabels, StoredKey } from "../../lib/dql/index.ts";
import type { CategoryName } from "../../lib/point/index.ts";

/** Maximum number of objects with labels in a workspace. It is limited because every query reads all labels. */
const maxObjects = 100_000;

export class TooManyObjects extends Error {}

/**
 * Throws TooManyObjects when the workspace cannot have labels for one more object. `others`: the number of other
 * objects with labels.
 */
export function requireRoomFor(others: number): void {
  if (others >= maxObjects) throw new TooManyObjects(`labels of ${maxObjects} objects are kept already`);
}

export type LabelRow = readonly [objectClass: string, name: string, key: string, value: string, labels: string];

/**
 * Returns the labels of the objects in a category. Labels are stored with the class of an object, but without
 * its category. So the category follows from the class: `custom_object` for a class that only custom objects
 * have, `object` for every other class.
 */
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
