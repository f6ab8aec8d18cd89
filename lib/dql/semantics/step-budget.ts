// Counts the steps of work, so that a query ends at its deadline also where it does not wait for a database.

/** Counts steps of work, about one for each row; throws when the work has to end. */
export type StepBudget = (steps: number) => void;

/** A budget without a limit. */
export const unlimited: StepBudget = () => {};

/** Number of steps between two checks of the clock: some milliseconds of work. */
const stepsBetween = 10_000;

/** Makes a budget that calls `look` every `every` steps; `look` throws when the work has to end. */
export function paced(look: () => void, every = stepsBetween): StepBudget {
  let left = every;
  return (steps) => {
    left -= steps;
    if (left > 0) return;
    left = every;
    look();
  };
}

/** Yields the items and counts one step for each. */
export function* stepped<Item>(items: Iterable<Item>, work: StepBudget): Iterable<Item> {
  for (const item of items) {
    work(1);
    yield item;
  }
}
