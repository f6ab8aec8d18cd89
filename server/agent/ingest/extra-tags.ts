// Tags that are added to the points of a write where a point has the key neither as tag nor as field: global tags, addresses
// of RUM clients.

import { Key, type PointSeries, type Points } from "../engine.ts";
import type { ExtraTag } from "./write-request.ts";

type Prepared = readonly (readonly [key: Key, value: string])[];

/** The same list comes with every write. */
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

/** What points from clients are corrected to (docs/reference/points.md#corrections): these texts come from clients too. */
function inOneLine(text: string): string {
  return text.replace(/\\+$/, "").replaceAll("\n", " ");
}

/** A batch gives tags to its points where they lie. */
function isBatch(points: PointSeries): points is Points {
  return "addTag" in points;
}
