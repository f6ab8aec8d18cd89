// How long a service that failed is left alone.

/** A service that failed is left out for a time that grows with its failures. */
export interface Rest {
  /** Whether it did its work on something begun at that time (`performance.now()`): what fails together counts once. */
  note(worked: boolean, begunAt?: number): void;
  readonly isResting: boolean;
  /** How often it did its work. */
  readonly successes: number;
}

const firstRestMs = 1000;
const longestRestMs = 60_000;

export function createRest(): Rest {
  let failures = 0;
  let restsUntil = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let successes = 0;
  return {
    note: (worked, begunAt = Number.POSITIVE_INFINITY) => {
      if (!worked && begunAt < failedAt) return;
      if (worked) successes++;
      else failedAt = performance.now();
      failures = worked ? 0 : failures + 1;
      restsUntil = worked ? 0 : performance.now() + Math.min(firstRestMs * 2 ** (failures - 1), longestRestMs);
    },
    get isResting() {
      return performance.now() < restsUntil;
    },
    get successes() {
      return successes;
    },
  };
}
