// Reads texts from points.

import { isBytes } from "../../../lib/text/index.ts";
import type { Key, PointView } from "../engine.ts";

/** Returns the text under a key of a point; undefined when there is no value or the value is not a text. */
export function textOf(point: PointView, key: Key): string | undefined {
  const value = point.get(key);
  if (typeof value === "string") return value;
  return isBytes(value) ? value.toString() : undefined;
}
