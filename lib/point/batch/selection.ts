// A selection: some points of a batch, which are not copied.

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
    return this.indexes.length;
  }

  at(index: number): Cursor {
    const place = this.indexes[index];
    if (place === undefined) throw new RangeError(`no point ${index} in a selection of ${this.length}`);
    return this.batch.at(place);
  }

  select(indexes: readonly number[]): Selection {
    return new Selection(
      this.batch,
      indexes.map((index) => this.indexes[index]!),
    );
  }

  *[Symbol.iterator](): Iterator<Cursor> {
    for (const index of this.indexes) yield this.batch.at(index);
  }

  /** Yields the ranges of consecutive points; `to` is exclusive. */
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
