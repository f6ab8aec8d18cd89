// The measurements by category, and the keys of a measurement, filtered by a part of a name.

import type { CategoryName } from "../../../../lib/index.ts";
import { english } from "../../text/translate.ts";
import type { HeldSource } from "../../worker/query-run/asking.ts";

export interface Branch {
  readonly category: CategoryName;
  readonly title: string;
  readonly sources: readonly HeldSource[];
}

/** The categories in the order in which the page lists them. */
const titles: readonly (readonly [CategoryName, string])[] = [
  ["logging", english("Logs")],
  ["metric", english("Metrics")],
  ["keyevent", english("Events")],
  ["tracing", english("Traces")],
  ["object", english("Objects")],
  ["custom_object", english("Custom objects")],
  ["rum", english("Real users")],
  ["network", english("Network")],
  ["security", english("Security")],
  ["profiling", english("Profiles")],
];

const holds = (name: string, part: string) => name.toLowerCase().includes(part.trim().toLowerCase());

/**
 * Groups measurements by category. Keeps only the measurements that have `part` in their name or in the name of a key.
 */
export function treeOf(sources: readonly HeldSource[], part = ""): readonly Branch[] {
  const known = new Set(titles.map(([category]) => category));
  const others = sources.filter(({ category }) => !known.has(category)).map(({ category }) => category);
  const all = [...titles, ...[...new Set(others)].map((each) => [each, each.replaceAll("_", " ")] as const)];
  return all.flatMap(([category, title]) => {
    const own = sources.filter(
      (each) => each.category === category && (holds(each.name, part) || each.keys.some(({ key }) => holds(key, part))),
    );
    return own.length === 0 ? [] : [{ category, title, sources: own }];
  });
}

/**
 * Returns the keys whose name contains `part`. When no key does, the measurement was found by its own name, so all its
 * keys are returned.
 */
export function keysWith<Key extends { readonly key: string }>(keys: readonly Key[], part: string): readonly Key[] {
  const found = keys.filter(({ key }) => holds(key, part));
  return found.length === 0 ? keys : found;
}
