// Reads string values from points.

import { isBytes } from "../../../lib/text/index.ts";
import type { Key, PointView } from "../engine.ts";

/** Returns the string under a key of a point; undefined when the key has no value or its value is not a string. */
export function textOf(point: PointView, key: Key): string | undefined {
  const value = point.get(key);
  if (typeof value === "string") return value;
  return isBytes(value) ? value.toString() : undefined;
}
