// The namespaces of DQL, and the stored points that each of them reads
// (docs/reference/query.md#namespaces-and-sources).

import type { CategoryName } from "../../point/category.ts";

/** A namespace of queries. */
export interface DqlNamespace {
  /** Short name of the namespace, in upper case, such as `M`. */
  readonly short: string;
  /**
   * Long name of the namespace. It is also the value of the key `__namespace`, except for the two namespaces of events,
   * whose value is `keyevent`.
   */
  readonly long: string;
  readonly category: CategoryName;
  /**
   * Which points of the category are read: all points, the newest point of each object, or the newest unrecovered event
   * of each monitored thing.
   */
  readonly rows: "all" | "newest object" | "unrecovered event";
  /**
   * Keys that may hold the source of a point. The source is the value of the first of these keys that the point has.
   * `__source` stands for the name of the point.
   */
  readonly sourceKeys: readonly string[];
}

const table: readonly (readonly [string, string, CategoryName, DqlNamespace["rows"], readonly string[]])[] = [
  ["M", "metric", "metric", "all", ["__source"]],
  ["L", "logging", "logging", "all", ["__source"]],
  ["BL", "backup_log", "logging", "all", ["__source"]],
  ["O", "object", "object", "newest object", ["__source"]],
  ["OH", "object_history", "object", "all", ["__source"]],
  ["CO", "custom_object", "custom_object", "newest object", ["__source"]],
  ["COH", "custom_object_history", "custom_object", "all", ["__source"]],
  ["E", "event", "keyevent", "all", ["source", "__source"]],
  ["UE", "unrecovered_event", "keyevent", "unrecovered event", ["source", "__source"]],
  ["T", "tracing", "tracing", "all", ["service", "__source"]],
  ["P", "profiling", "profiling", "all", ["service", "__source"]],
  ["R", "rum", "rum", "all", ["__source"]],
  ["S", "security", "security", "all", ["category", "__source"]],
  ["N", "network", "network", "all", ["__source"]],
];

/** All namespaces; the first is the default. */
export const namespaces: readonly DqlNamespace[] = table.map(([short, long, category, rows, sourceKeys]) => ({
  short,
  long,
  category,
  rows,
  sourceKeys,
}));

const byName = new Map<string, DqlNamespace>();
for (const namespace of namespaces) {
  byName.set(namespace.short.toLowerCase(), namespace);
  byName.set(namespace.long, namespace);
}
for (const [name, short] of [
  ["keyevent", "e"],
  ["u", "ue"],
] as const) {
  byName.set(name, byName.get(short)!);
}

/**
 * Returns the namespace with the given short or long name. Upper and lower case make no difference.
 *
 * @example
 * namespaceOf("m")?.category; // "metric"
 */
export function namespaceOf(name: string): DqlNamespace | undefined {
  return byName.get(name.toLowerCase());
}

/** The namespace of a query that does not name one. */
export const defaultNamespace = namespaces[0]!;

/** Returns the value of the key `__namespace` for points of this namespace. */
export function namespaceName({ category, long }: DqlNamespace): string {
  return category === "keyevent" ? "keyevent" : long;
}
