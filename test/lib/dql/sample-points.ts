// The sample data as points, which databases can load.

import type { Row } from "../../../lib/dql/index.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
import { Point } from "../../../lib/point/point.ts";
import { Float } from "../../../lib/point/value.ts";
import { Key } from "../../../lib/point/view.ts";
import { rows } from "./sample-data.ts";

export function samplePoints(category: CategoryName): Point[] {
  return (rows[category] ?? []).map(pointOf);
}

export function pointOf({ name, time, tags, fields }: Row): Point {
  const point = new Point(name, time);
  for (const [key, value] of tags) point.setTag(new Key(key), value);
  for (const [key, value] of fields) {
    point.setField(new Key(key), typeof value === "number" ? new Float(value) : (value as string | bigint));
  }
  return point;
}
