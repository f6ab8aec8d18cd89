// Groups rows by the keys of BY, by measurement or by timeline.

import type { Row } from "./row.ts";

export function sortedTags({ tags }: Row): [string, string][] {
  return [...tags].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the key of a row's timeline: name and all tags. */
export function timelineOf(row: Row): string {
  return JSON.stringify([row.name, sortedTags(row)]);
}

/** Groups items by key, in the order of their first items. */
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
