// Adds tags to the points of a write: global tags, and the address tags of RUM clients. A point that already has the
// key as a tag or field stays as it is.

import { Key, type PointSeries, type Points } from "../engine.ts";
import type { ExtraTag } from "./write-request.ts";

type Prepared = readonly (readonly [key: Key, value: string])[];

/** Prepared tags by their list. All writes share the same list of global tags until the tags change. */
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
 * Returns the text without line feeds and trailing backslashes. Clients send these texts, so the corrections of point
 * tags apply to them too (docs/reference/points.md#corrections).
 */
function inOneLine(text: string): string {
  return text.replace(/\\+$/, "").replaceAll("\n", " ");
}

/** Whether the points are a decoded batch. A batch adds a tag to its points in place. */
function isBatch(points: PointSeries): points is Points {
  return "addTag" in points;
}
