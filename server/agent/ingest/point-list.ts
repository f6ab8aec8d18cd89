// Wraps an array of points, such as points that a script created, in the interface of a decoded batch. Lists the
// indexes of points.

import type { PointSeries, PointView } from "../engine.ts";

export function listOf(points: readonly PointView[]): PointSeries {
  return {
    length: points.length,
    at: (index) => points[index]!,
    select: (indexes) => listOf(indexes.map((index) => points[index]!)),
    [Symbol.iterator]: () => points[Symbol.iterator](),
  };
}

export function indexesOf({ length }: PointSeries): readonly number[] {
  return Array.from({ length }, (_, at) => at);
}
