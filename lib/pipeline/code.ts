// Compiled code: closures, and for trees too deep for the call stack the same work as generators on a stack of
// their own (pipeline document, section 2.3, nesting).

import type { Run } from "./run.ts";

/** A generator that yields the code whose result it needs. */
export type Steps<T> = (run: Run) => Generator<Code<unknown>, T, unknown>;

export interface Code<T> {
  readonly direct: (run: Run) => T;
  /** How many closures call each other inside of `direct`. */
  readonly height: number;
  /** Only for code that is higher than `maxHeight`; `direct` then drives it. */
  readonly steps: Steps<T> | null;
}

/** Closures up to this height call each other. */
const maxHeight = 200;

/** Code with `parts` inside: by `direct` when it is low enough, else by `steps`. */
export function code<T>(parts: readonly (Code<unknown> | null)[], direct: (run: Run) => T, steps: Steps<T>): Code<T> {
  const height = heightOf(parts);
  if (height <= maxHeight) return { direct, height, steps: null };
  return { direct: (run) => drive(steps, run), height, steps };
}

/** Code without parts, or whose parts call back natively (calls). */
export function leaf<T>(direct: (run: Run) => T, height = 1): Code<T> {
  return { direct, height, steps: null };
}

export function heightOf(parts: readonly (Code<unknown> | null)[]): number {
  let height = 0;
  for (const part of parts) if (part !== null && part.height > height) height = part.height;
  return height + 1;
}

function drive<T>(first: Steps<T>, run: Run): T {
  const stack: Generator<Code<unknown>, unknown, unknown>[] = [first(run)];
  let input: unknown;
  for (;;) {
    const result = stack.at(-1)!.next(input);
    if (result.done === true) {
      stack.pop();
      if (stack.length === 0) return result.value as T;
      input = result.value;
    } else if (result.value.steps === null) input = result.value.direct(run);
    else {
      stack.push(result.value.steps(run));
      input = undefined;
    }
  }
}

/** A walk over a tree that may be deeper than the call stack: yields the walk of a child, gets its result. */
export interface Walk<T> extends Generator<Walk<unknown>, T, unknown> {}

/** Runs a walk to its end. A failure in a child is thrown where its parent yielded it. */
export function complete<T>(first: Walk<T>): T {
  const stack: Walk<unknown>[] = [first];
  let input: unknown;
  let failed = false;
  for (;;) {
    const top = stack.at(-1)!;
    try {
      const result = failed ? top.throw(input) : top.next(input);
      failed = false;
      if (result.done === true) {
        stack.pop();
        if (stack.length === 0) return result.value as T;
        input = result.value;
      } else {
        stack.push(result.value);
        input = undefined;
      }
    } catch (error) {
      stack.pop();
      if (stack.length === 0) throw error;
      failed = true;
      input = error;
    }
  }
}
