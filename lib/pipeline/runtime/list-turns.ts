// The turns (iterations) of a `for ... in` loop over a list.

import type { Value } from "./value.ts";

/**
 * Iterates over the elements of a list for a `for ... in` loop of a script. The number of iterations is fixed at the
 * start of the loop, but each iteration gets the element's current value, which the script may have changed during the
 * loop. All calls of `next` return the same object, which saves an allocation for each iteration.
 */
export class ListTurns implements Iterator<Value> {
  private readonly list: readonly Value[];
  private readonly length: number;
  /** Index of the element that the next turn (iteration of the loop) gets. */
  at = 0;
  private readonly turn: { done: boolean; value: Value } = { done: false, value: null };

  constructor(list: readonly Value[]) {
    this.list = list;
    this.length = list.length;
  }

  next(): IteratorResult<Value> {
    const { turn, list, at } = this;
    if (at < this.length && at < list.length) {
      turn.value = list[at]!;
      this.at = at + 1;
    } else turn.done = true;
    return turn as IteratorResult<Value>;
  }
}
