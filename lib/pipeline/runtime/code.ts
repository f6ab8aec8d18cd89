// Compiled code: closures and, for syntax trees too deep for the call stack, generators that do the same work with an
// explicit stack (docs/reference/language.md#limits, nesting). The generators also run scripts that wait, such as a
// script that calls `http_request`. All other scripts run by closures alone.

import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

/** An expression of a script, compiled to a function that returns its value. */
export type Evaluate = (run: Run) => Value;

/** A promise that a generator yields. The generator continues when the promise is resolved. */
export class Wait {
  readonly promise: Promise<unknown>;
  constructor(promise: Promise<unknown>) {
    this.promise = promise;
  }
}

/**
 * A generator that computes a result step by step. It yields the inner code whose result it needs next, or a promise
 * (Wait) for which it waits.
 */
export type Steps<T> = (run: Run) => Generator<Code<unknown> | Wait, T, unknown>;

/** An expression or statement, compiled to a closure and perhaps also to a generator. `T` is the type of its result. */
export interface Code<T> {
  readonly direct: (run: Run) => T;
  /**
   * Nesting depth of the code: 1 for code without inner code, otherwise one more than the greatest depth of the
   * inner code. The closure `direct` calls the closures of the inner code, which call the closures inside them,
   * and so on. So deeply nested code needs much stack.
   */
  readonly height: number;
  /**
   * A generator that does the same work as `direct`. Code whose `height` (nesting depth) exceeds `maxHeight` has such a
   * generator, and so has code that may wait. For all other code this member is null.
   */
  readonly steps: Steps<T> | null;
  /**
   * Whether the code may wait for an HTTP answer: it calls a function that waits, or it runs another script that may
   * wait. When the code runs another script, this is known only after linking.
   */
  readonly mayWait: boolean;
}

/**
 * Greatest height (nesting depth) of code that runs as closures that call one another. Code with a greater
 * height runs as generators.
 */
const maxHeight = 200;

/**
 * Makes code from the inner code `parts` and from two forms of the same work: the closure `direct`, and the generator
 * `steps`. A run uses `direct` when the height (nesting depth) of the code is at most `maxHeight`, otherwise `steps`.
 */
export function code<T>(parts: readonly (Code<unknown> | null)[], direct: (run: Run) => T, steps: Steps<T>): Code<T> {
  const height = heightOf(parts);
  const mayWait = parts.some((part) => part?.mayWait === true);
  if (height <= maxHeight) return { direct, height, steps: mayWait ? steps : null, mayWait };
  return { direct: (run) => drive(steps, run), height, steps, mayWait };
}

/**
 * Makes code that has no inner code, or whose closure `direct` runs its inner code without help. For example,
 * the closure of a call evaluates the arguments of the call.
 */
export function leaf<T>(direct: (run: Run) => T, height = 1): Code<T> {
  return { direct, height, steps: null, mayWait: false };
}

/** Makes code that may wait for an HTTP answer. `direct` is the closure for runs that are known not to wait. */
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

/**
 * Runs code that may wait for an HTTP answer. A failure of inner code is thrown at the `yield` of the surrounding code,
 * so that the surrounding code can handle it.
 */
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
 * A generator ("walk") over a tree that may be deeper than the call stack. It yields the walk of a child and receives
 * the child's result. For a child that has no children, it yields the child's result instead of a walk.
 */
export interface Walk<T> extends Generator<Walk<unknown> | Code<unknown>, T, unknown> {}

/**
 * Runs a walk (a generator over a tree) to its end. A failure in a child is thrown at the `yield` of the child's
 * parent.
 */
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
