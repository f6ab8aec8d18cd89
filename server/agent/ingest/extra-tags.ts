// Adds tags to the points of a write: global tags (tags that the agent adds to every point) and, for points that a
// browser sent, tags with the address of the browser. A point that already has the key of such a tag, as a tag or a
// field, keeps its own value.

import { Key, type PointSeries, type Points } from "../engine.ts";
import type { ExtraTag } from "./write-request.ts";

type Prepared = readonly (readonly [key: Key, value: string])[];

/**
 * Cache of parsed tags. The key of each entry is an array of unparsed tags. All writes use the same array of
 * global tags until the global tags change, so each array is parsed only once.
 */
const prepared = new WeakMap<readonly ExtraTag[], Prepared>();

export function addTagsToAll(points: PointSeries, tags: readonly ExtraTag[]): void {
  if (tags.length === 0) return;
  for (const [key, value] of preparedOf(tags)) {
    if (isBatch(points)) points.addTag(key, value);
    else for (const point of points) if (!point.has(key)) point.setTag(key, value);
  }
}

function preparedOf(tags: readonly ExtraTag[]): Prepared {
  let known = prepared.get(tags);
  if (known === undefined) {
    known = tags.map(([name, text]) => [new Key(inOneLine(name)), inOneLine(text)] as const);
    prepared.set(tags, known);
  }
  return known;
}

/**
 * Corrects the key or value of a tag, as the tags of points are corrected (docs/reference/points.md#corrections),
 * because clients choose some of these tags. Removes backslashes at the end and replaces line feeds by spaces.
 */
function inOneLine(text: string): string {
  return text.replace(/\\+$/, "").replaceAll("\n", " ");
}

/**
 * Returns whether the points are a decoded batch (points in WebAssembly memory). Such a batch can add a tag to all of
 * its points in place.
 */
function isBatch(points: PointSeries): points is Points {
  return "addTag" in points;
}
