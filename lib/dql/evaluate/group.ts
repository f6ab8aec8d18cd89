// Groups rows by the keys of the BY clause, by measurement, or by timeline (the set of all tags).

import type { Row } from "./row.ts";

export function sortedTags({ tags }: Row): [string, string][] {
  return [...tags].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns a string that identifies the timeline of a row: its name and all its tags. */
export function timelineOf(row: Row): string {
  return JSON.stringify([row.name, sortedTags(row)]);
}

/** Groups items, such as rows, by a key; the groups are in the order of their first items. */
export function grouped<Item>(items: Iterable<Item>, keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
