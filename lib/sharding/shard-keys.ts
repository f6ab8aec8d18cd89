// Makes the header X-Global-Tags that an agent sends for a point
// (docs/reference/gateway.md#headers-from-an-agent). The header has a pair key=value for each tag or field of
// the point whose key is a shard key. The configuration names the shard keys.

import { builtInKeys } from "../filter/built-in-keys.ts";
import { textOf } from "../filter/compare.ts";
import type { CategoryName } from "../point/category.ts";
import { Key, type PointView } from "../point/view.ts";
import { formatHeader, type Pair, parseHeader, usablePairs } from "./header.ts";

/** The shard keys: the keys of points whose values go into the header X-Global-Tags. */
export type ShardKeys = ReadonlySet<string>;

type Tags = Readonly<Record<string, string>>;

/** Largest number of keys from the configuration that are used as shard keys. */
export const maxCustomerKeys = 3;

/**
 * Returns the keys from the configuration, trimmed, without blank and repeated ones. In the result, `keys` has at most
 * the first three of these keys, which are used as shard keys; `of` is the number of all keys.
 *
 * @example
 * customerKeys([" a ", "b", "a"]); // { keys: ["a", "b"], of: 2 }
 */
export function customerKeys(configured: readonly string[]): { readonly keys: readonly string[]; readonly of: number } {
  const distinct = [...new Set(configured.map((key) => key.trim()).filter((key) => key !== ""))];
  return { keys: distinct.slice(0, maxCustomerKeys), of: distinct.length };
}

/**
 * Returns the shard keys: the given keys, and the keys of all global tags (tags that the agent adds to points),
 * whatever values these tags have.
 *
 * @example
 * shardKeys({ host: "a" }, {}, ["app"]); // Set { "host", "app" }
 */
export function shardKeys(host: Tags, election: Tags, customer: readonly string[]): ShardKeys {
  return new Set([...Object.keys(host), ...Object.keys(election), ...customer]);
}

/**
 * Returns the header pairs of a point in the order of its entries. The pairs of the built-in keys (`category`, and the
 * key whose value is the point's name) come last. The global tags must have been added to the point before.
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

/** A group of points that are sent in one request, because they have the same header pairs. */
export interface ShardGroup {
  /** Value of the header X-Global-Tags for the points of the group; empty when the points have no shard keys. */
  readonly header: string;
  /** String that identifies the set of header pairs of the group; the order of the pairs does not matter. */
  readonly id: string;
  /** Indexes of the group's points, ascending. */
  readonly indexes: readonly number[];
}

/**
 * Groups points by the set of their header pairs. The groups are in the order of their first points, and the first
 * point decides the order of the pairs in the header. For speed, the function looks up only the shard keys of a point.
 * It reads all tags and fields only for the first point of a group.
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
 * Groups header values by the set of their pairs, as `groupByHeader` does for points.
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
 * Returns the header for requests without points: all global tags (tags that the agent adds to points), sorted by key.
 * When a key is both a host tag (added to every point) and an election tag (added to the points of certain writes), the
 * election tag counts.
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
 * Returns the header for a body that is forwarded unparsed, such as a session replay or a profile. The header has those
 * of the given pairs whose keys are shard keys. When there is no such pair, the function returns the argument
 * `otherwise`. `category` is the category of the body; a given pair with the key `category` is ignored.
 *
 * @example
 * headerOfBody([["host", "a"]], "rum", shardKeys({ host: "a" }, {}, []), ""); // "host=a"
 */
export function headerOfBody(known: Iterable<Pair>, category: string, keys: ShardKeys, otherwise: string): string {
  const newest = new Map<string, string>();
  for (const [key, value] of known) if (key !== "category" && !newest.has(key)) newest.set(key, value);
  const picked = formatHeader([...newest, ["category", category] as const].filter(([key]) => keys.has(key)));
  return picked === "" ? otherwise : picked;
}
