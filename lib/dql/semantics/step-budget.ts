// Work is told in steps while it is done, so that a question ends at its deadline also where no database is waited for.

/** Told of so many steps, about a row each; throws when the work has to end. */
export type StepBudget = (steps: number) => void;

/** Work that nobody ends. */
export const unlimited: StepBudget = () => {};

/** Steps between two looks at the clock: some milliseconds of work. */
const stepsBetween = 10_000;

/** `look` throws when the work has to end. */
export function paced(look: () => void, every = stepsBetween): StepBudget {
  let left = every;
  return (steps) => {
    left -= steps;
    if (left > 0) return;
    left = every;
    look();
  };
}

/** Tells a step for each. */
export function* stepped<Item>(items: Iterable<Item>, work: StepBudget): Iterable<Item> {
  for (const item of items) {
    work(1);
    yield item;
  }
}
