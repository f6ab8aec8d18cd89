// The pairs that an agent sends for a point (docs/reference/gateway.md#headers-from-an-agent): those of its keys that are shard keys.

import { builtInKeys } from "../filter/built-in-keys.ts";
import { textOf } from "../filter/compare.ts";
import type { CategoryName } from "../point/category.ts";
import { Key, type PointView } from "../point/view.ts";
import { formatHeader, type Pair, parseHeader, usablePairs } from "./header.ts";

/** The keys whose pairs make the header. */
export type ShardKeys = ReadonlySet<string>;

type Tags = Readonly<Record<string, string>>;

/** Most configured keys that are used. */
export const maxCustomerKeys = 3;

/**
 * Returns the configured keys, trimmed, without blank and repeated ones: at most three, and how many there would have
 * been.
 *
 * @example
 * customerKeys([" a ", "b", "a"]); // { keys: ["a", "b"], of: 2 }
 */
export function customerKeys(configured: readonly string[]): { readonly keys: readonly string[]; readonly of: number } {
  const distinct = [...new Set(configured.map((key) => key.trim()).filter((key) => key !== ""))];
  return { keys: distinct.slice(0, maxCustomerKeys), of: distinct.length };
}

/**
 * Returns the shard keys; keys of the global tags are shard keys whatever their values.
 *
 * @example
 * shardKeys({ host: "a" }, {}, ["app"]); // Set { "host", "app" }
 */
export function shardKeys(host: Tags, election: Tags, customer: readonly string[]): ShardKeys {
  return new Set([...Object.keys(host), ...Object.keys(election), ...customer]);
}

/**
 * Returns the pairs in the order of the point, with the built-in keys last. The global tags must already be part of the
 * point.
 *
 * @example
 * const point = new Point("cpu", 0n);
 * point.setTag(new Key("host"), "a");
 * pairsOfPoint(point, "metric", shardKeys({ host: "a" }, {}, [])); // [["host", "a"]]
 */
export function pairsOfPoint(point: PointView, category: CategoryName, keys: ShardKeys): Pair[] {
  const pairs: Pair[] = [];
  for (const { key, value } of point.entries()) {
    if (!keys.has(key)) continue;
    const text = textOf(value);
    if (text !== undefined) pairs.push([key, text]);
  }
  for (const pair of builtInKeys(category, point.name)) if (keys.has(pair[0])) pairs.push(pair);
  return usablePairs(pairs);
}

/** Points that go into one request. */
export interface ShardGroup {
  /** Value of the header; empty when the points have no shard key. */
  readonly header: string;
  /** Key of the group: the same for all sets with the same pairs, whatever their order in the header. */
  readonly id: string;
  /** Indexes of the points, ascending. */
  readonly indexes: readonly number[];
}

/**
 * Groups points by the set of their pairs. The groups are in the order of their first points, whose headers they get.
 * The shard keys are looked up by key: other entries are only read for the first point of a group.
 *
 * @example
 * const point = new Point("cpu", 0n);
 * point.setTag(new Key("host"), "a");
 * const points = { length: 1, at: () => point };
 * groupByHeader(points, "metric", shardKeys({ host: "a" }, {}, []))[0]?.header; // "host=a"
 */
export function groupByHeader(
  points: { readonly length: number; at(index: number): PointView },
  category: CategoryName,
  keys: ShardKeys,
): ShardGroup[] {
  const looked = [...keys].map((name) => new Key(name));
  const groups = new Map<string, { header: string; id: string; indexes: number[] }>();
  for (let index = 0; index < points.length; index++) {
    const point = points.at(index);
    const pairs: Pair[] = [];
    for (const key of looked) {
      const text = textOf(point.get(key));
      if (text !== undefined) pairs.push([key.text, text]);
    }
    for (const pair of builtInKeys(category, point.name)) if (keys.has(pair[0])) pairs.push(pair);
    const same = formatHeader(pairs);
    const group = groups.get(same);
    if (group !== undefined) group.indexes.push(index);
    else groups.set(same, { header: formatHeader(pairsOfPoint(point, category, keys)), id: same, indexes: [index] });
  }
  return [...groups.values()];
}

/**
 * Groups headers by the set of their pairs, as `groupByHeader` does for points.
 *
 * @example
 * groupHeaders(["a=1,b=2", "b=2,a=1"]).length; // 1
 */
export function groupHeaders(headers: readonly string[]): ShardGroup[] {
  const groups = new Map<string, { header: string; id: string; indexes: number[] }>();
  for (const [index, header] of headers.entries()) {
    const same = JSON.stringify([...parseHeader(header)].sort());
    const group = groups.get(same);
    if (group === undefined) groups.set(same, { header, id: same, indexes: [index] });
    else group.indexes.push(index);
  }
  return [...groups.values()];
}

/**
 * Returns the header of requests without points: all global tags, sorted; when a key is in both, the election tag
 * counts.
 *
 * @example
 * headerOfAllTags({ b: "1" }, { a: "2" }); // "a=2,b=1"
 */
export function headerOfAllTags(host: Tags, election: Tags): string {
  return usablePairs(Object.entries({ ...host, ...election }))
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(",");
}

/**
 * Returns the header for a pass-through body, such as a session replay or a profile: pairs from its known keys, or
 * `otherwise` when there are none. `category` is the category of the body and takes precedence over a known key with
 * this name.
 *
 * @example
 * headerOfBody([["host", "a"]], "rum", shardKeys({ host: "a" }, {}, []), ""); // "host=a"
 */
export function headerOfBody(known: Iterable<Pair>, category: string, keys: ShardKeys, otherwise: string): string {
  const told = new Map<string, string>();
  for (const [key, value] of known) if (key !== "category" && !told.has(key)) told.set(key, value);
  const picked = formatHeader([...told, ["category", category] as const].filter(([key]) => keys.has(key)));
  return picked === "" ? otherwise : picked;
}
