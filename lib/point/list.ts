// Points that were decoded into JavaScript, behind the same reading interface as a Batch.

import type { PointBatch } from "./batch.ts";
import type { Point } from "./point.ts";
import type { Warning } from "./view.ts";

export class PointList implements PointBatch {
  private readonly points: readonly Point[];

  constructor(points: readonly Point[]) {
    this.points = points;
  }

  get length(): number {
    return this.points.length;
  }

  at(index: number): Point {
    const point = this.points[index];
    if (point === undefined) throw new RangeError(`no point ${index} in a list of ${this.points.length}`);
    return point;
  }

  [Symbol.iterator](): Iterator<Point> {
    return this.points[Symbol.iterator]();
  }

  point(index: number): Point {
    return this.at(index);
  }

  warnings(index: number): readonly Warning[] {
    return this.at(index).warnings;
  }

  release(): void {
    // JavaScript's own memory: nothing to give back.
  }
}
