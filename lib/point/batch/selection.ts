// A selection: some points of a batch, which are not copied.

import { refuse } from "../../text/argument.ts";
import type { PointSeries } from "../view.ts";
import type { Batch } from "./batch.ts";
import type { Cursor } from "./cursor.ts";

export class Selection implements PointSeries {
  readonly batch: Batch;
  /** Indexes, in the batch, of the points that belong to the selection; ascending. */
  readonly indexes: readonly number[];

  constructor(batch: Batch, indexes: readonly number[]) {
    this.batch = batch;
    this.indexes = indexes;
  }

  get length(): number {
    this.batch.requireLive();
    return this.indexes.length;
  }

  at(index: number): Cursor {
    const place = this.indexes[index];
    if (place === undefined && !Number.isInteger(index)) refuse("at", "index", "a whole number", index);
    if (place === undefined) throw new RangeError(`no point ${index} in a selection of ${this.length}`);
    return this.batch.at(place);
  }

  select(indexes: readonly number[]): Selection {
    requireIndexes(indexes, this.length);
    return new Selection(
      this.batch,
      indexes.map((index) => this.indexes[index]!),
    );
  }

  *[Symbol.iterator](): Iterator<Cursor> {
    this.batch.requireLive();
    for (const index of this.indexes) yield this.batch.at(index);
  }

  /** Yields the points of the selection as ranges of consecutive indexes; `to` is exclusive. */
  *runs(): Iterable<{ readonly from: number; readonly to: number }> {
    const { indexes } = this;
    for (let at = 0; at < indexes.length; ) {
      const from = indexes[at]!;
      let to = from;
      while (indexes[at] === to) {
        to++;
        at++;
      }
      yield { from, to };
    }
  }
}

/** Throws a RangeError unless the indexes ascend and are all below `length`. */
export function requireIndexes(indexes: unknown, length: number): void {
  if (!Array.isArray(indexes)) refuse("select", "indexes", "an array of whole numbers", indexes);
  let before = -1;
  for (const index of indexes as unknown[]) {
    if (typeof index !== "number" || !Number.isInteger(index)) refuse("select", "indexes", "whole numbers", index);
    if (index <= before) throw new RangeError(`select: indexes must ascend from 0; got ${index} after ${before}`);
    if (index >= length) throw new RangeError(`select: no point ${index} among ${length}`);
    before = index;
  }
}
