// Counts the steps of a query's computations. At its deadline a query must end also during a long computation,
// and not only while it waits for a database; so the counter checks the clock now and then.

/** A function that counts steps of work, about one for each row; it throws when the work must end. */
export type StepBudget = (steps: number) => void;

/** A step budget without a limit: it counts nothing and never throws. */
export const unlimited: StepBudget = () => {};

/** Number of steps between two checks of the clock; this many steps take a few milliseconds. */
const stepsBetween = 10_000;

/**
 * Makes a step budget that calls `checkDeadline` once every `every` steps; `checkDeadline` throws when the work must
 * end.
 *
 * @example
 * const end = Date.now() + 1000;
 * const work = periodicBudget(() => {
 *   if (Date.now() > end) throw new Error("the query took too long");
 * });
 * work(1); // one step
 */
export function periodicBudget(checkDeadline: () => void, every = stepsBetween): StepBudget {
  let left = every;
  return (steps) => {
    left -= steps;
    if (left > 0) return;
    left = every;
    checkDeadline();
  };
}

/** Yields the items and counts one step of work for each. */
export function* countSteps<Item>(items: Iterable<Item>, work: StepBudget): Iterable<Item> {
  for (const item of items) {
    work(1);
    yield item;
  }
}
