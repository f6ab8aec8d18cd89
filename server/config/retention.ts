// Parses the settings that say how long the points of each category are kept, such as `30d`, `12h` or `1h30m`.

import { type CategoryName, categories } from "../../lib/point/index.ts";
import { parseDuration } from "./go-duration.ts";

const dayMs = 86_400_000;

/** Parses a time such as `30d` or `12h`. Returns milliseconds, or undefined when the string is not such a time. */
export function retentionMs(text: string): number | undefined {
  const days = /^([0-9]{1,6})d$/.exec(text);
  const ms = days === null ? (parseDuration(text) ?? 0) / 1e6 : Number(days[1]) * dayMs;
  return ms > 0 ? ms : undefined;
}

/** Returns how long points are kept in ms, by category. Points of a category without an entry are kept forever. */
export function retentionByCategory(kept: Readonly<Record<string, string>>): ReadonlyMap<CategoryName, number> {
  const found = new Map<CategoryName, number>();
  for (const category of categories) {
    const text = kept[category] ?? kept.default;
    const ms = text === undefined ? undefined : retentionMs(text);
    if (ms !== undefined) found.set(category, ms);
  }
  return found;
}
