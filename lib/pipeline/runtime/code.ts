// Compiled code: closures and, for trees too deep for the call stack, the same work as generators with an explicit
// stack (docs/reference/language.md#limits, nesting). The generators also run scripts that wait, such as a script that
// calls `http_request`; all other scripts run by closures alone.

import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

/** An expression compiled to a closure. */
export type Evaluate = (run: Run) => Value;

/** A value that a generator yields to get a result that is not there yet. */
export class Wait {
  readonly promise: Promise<unknown>;
  constructor(promise: Promise<unknown>) {
    this.promise = promise;
  }
}

/** A generator that yields the code whose result it needs, or a Wait. */
export type Steps<T> = (run: Run) => Generator<Code<unknown> | Wait, T, unknown>;

/** Compiled code with a result of type `T`. */
export interface Code<T> {
  readonly direct: (run: Run) => T;
  /** Deepest nesting of closures inside `direct`. */
  readonly height: number;
  /** The same work as a generator, for code that is higher than `maxHeight` or may wait; null for other code. */
  readonly steps: Steps<T> | null;
  /** Whether the code calls a function that waits, or another script that may wait (this is known after linking). */
  readonly mayWait: boolean;
}

/** Greatest height at which closures call each other directly. */
const maxHeight = 200;

/** Makes code with `parts` inside; it runs by `direct` when it is low enough, else by `steps`. */
export function code<T>(parts: readonly (Code<unknown> | null)[], direct: (run: Run) => T, steps: Steps<T>): Code<T> {
  const height = heightOf(parts);
  const mayWait = parts.some((part) => part?.mayWait === true);
  if (height <= maxHeight) return { direct, height, steps: mayWait ? steps : null, mayWait };
  return { direct: (run) => drive(steps, run), height, steps, mayWait };
}

/** Makes code without parts, or whose parts call back natively (calls). */
export function leaf<T>(direct: (run: Run) => T, height = 1): Code<T> {
  return { direct, height, steps: null, mayWait: false };
}

/** Makes code that may wait; `direct` runs it where it is known that it does not wait. */
export function waiting<T>(direct: (run: Run) => T, steps: Steps<T>, height = 1): Code<T> {
  return { direct, height, steps, mayWait: true };
}

export function heightOf(parts: readonly (Code<unknown> | null)[]): number {
  let height = 0;
  for (const part of parts) if (part !== null && part.height > height) height = part.height;
  return height + 1;
}

function drive<T>(first: Steps<T>, run: Run): T {
  const stack: Generator<Code<unknown> | Wait, unknown, unknown>[] = [first(run)];
  let input: unknown;
  for (;;) {
    const result = stack.at(-1)!.next(input);
    if (result.done === true) {
      stack.pop();
      if (stack.length === 0) return result.value as T;
      input = result.value;
      continue;
    }
    const part = result.value;
    if (part instanceof Wait) throw new Error("code that waits runs in a script that does not");
    if (part.steps === null || part.height <= maxHeight) input = part.direct(run);
    else {
      stack.push(part.steps(run));
      input = undefined;
    }
  }
}

/** Runs code that may wait. A failure of a part is thrown where the code around it yielded the part. */
export async function driveWaiting<T>(first: Code<T>, run: Run): Promise<T> {
  if (first.steps === null) return first.direct(run);
  const stack: Generator<Code<unknown> | Wait, unknown, unknown>[] = [first.steps(run)];
  let input: unknown;
  let failed = false;
  for (;;) {
    const top = stack.at(-1)!;
    let result: IteratorResult<Code<unknown> | Wait, unknown>;
    try {
      result = failed ? top.throw(input) : top.next(input);
      failed = false;
    } catch (error) {
      stack.pop();
      if (stack.length === 0) throw error;
      failed = true;
      input = error;
      continue;
    }
    if (result.done === true) {
      stack.pop();
      if (stack.length === 0) return result.value as T;
      input = result.value;
      continue;
    }
    const part = result.value;
    try {
      if (part instanceof Wait) input = await part.promise;
      else if (!part.mayWait) input = part.direct(run);
      else {
        stack.push(part.steps!(run));
        input = undefined;
      }
    } catch (error) {
      failed = true;
      input = error;
    }
  }
}

/**
 * A walk over a tree that may be deeper than the call stack. It yields the walk of a child and receives its result; for
 * a child without children it yields the result itself.
 */
export interface Walk<T> extends Generator<Walk<unknown> | Code<unknown>, T, unknown> {}

/** Runs a walk to its end. A failure in a child is thrown where its parent yielded the child. */
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
      } else if ("direct" in result.value) input = result.value;
      else {
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
