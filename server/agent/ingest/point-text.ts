// A text that a point has under a key.

import { isBytes } from "../../../lib/point/value.ts";
import type { Key, PointView } from "../engine.ts";

/** Undefined when there is none, or something else than a text. */
export function textOf(point: PointView, key: Key): string | undefined {
  const value = point.get(key);
  if (typeof value === "string") return value;
  return isBytes(value) ? value.toString() : undefined;
}
