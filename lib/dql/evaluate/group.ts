// Rows in groups: by the keys of BY, by measurement, by timeline.

import type { Row } from "./row.ts";

export function sortedTags({ tags }: Row): [string, string][] {
  return [...tags].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Name and all tags: what makes a timeline of metrics. */
export function timelineOf(row: Row): string {
  return JSON.stringify([row.name, sortedTags(row)]);
}

/** Groups in the order of their first rows. */
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
