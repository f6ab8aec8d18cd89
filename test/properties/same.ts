// The assertion for property tests, which also run without a test runner.

/** Throws an error that shows the two values when they differ. */
export function same(got: unknown, expected: unknown): void {
  const [a, b] = [got, expected].map((each) => (each instanceof Uint8Array ? each.join() : JSON.stringify(each)));
  if (a !== b) throw new Error(`got      ${a}\nexpected ${b}`);
}

export function ensure(holds: boolean, what: string): void {
  if (!holds) throw new Error(`does not hold: ${what}`);
}
