// Variables: which slots a name may live in, decided when a script is compiled (pipeline document, sections 7.1, 7.2).
// Whether a variable exists is known only while running (an `undefined` slot is "no such variable").

import type { PatternScope } from "../grok/patterns.ts";
import { Key } from "../point/view.ts";
import { readPoint } from "./point-access.ts";
import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

/** `_` stands for `message` wherever a key or variable is named. */
export function realName(name: string): string {
  return name === "_" ? "message" : name;
}

/** Hands out the slots of one script. */
export interface SlotCounter {
  count: number;
}

export class Scope {
  readonly patterns: PatternScope;
  private readonly parent: Scope | null;
  private readonly counter: SlotCounter;
  private readonly slots = new Map<string, number>();
  /** The slots of this scope, complete once its block is compiled. */
  private readonly own: number[] = [];

  constructor(parent: Scope | null, patterns: PatternScope, counter: SlotCounter) {
    this.parent = parent;
    this.patterns = patterns;
    this.counter = counter;
  }

  child(): Scope {
    return new Scope(this, this.patterns.child(), this.counter);
  }

  /** Forgets the variables of this scope: done when its block is entered and between turns of a loop. */
  clear(run: Run): void {
    for (const slot of this.own) run.locals[slot] = undefined;
  }

  /** The variable's value, innermost first; undefined when there is none yet. */
  variable(name: string): (run: Run) => Value | undefined {
    const candidates = this.candidates(name);
    if (candidates.length === 0) return () => undefined;
    if (candidates.length === 1) {
      const only = candidates[0]!;
      return (run) => run.locals[only] as Value | undefined;
    }
    return (run) => {
      for (const slot of candidates) {
        const value = run.locals[slot];
        if (value !== undefined) return value as Value;
      }
      return undefined;
    };
  }

  /** Section 7.2: the variable, else the point's key; undefined when there is neither. */
  reader(name: string): (run: Run) => Value | undefined {
    const real = realName(name);
    const key = new Key(real);
    if (this.candidates(real).length === 0) return (run) => readPoint(run, key);
    const variable = this.variable(real);
    return (run) => {
      const value = variable(run);
      return value === undefined ? readPoint(run, key) : value;
    };
  }

  /** Makes room for a variable that is assigned in this scope. */
  declare(name: string): number {
    const real = realName(name);
    const known = this.slots.get(real);
    if (known !== undefined) return known;
    const slot = this.counter.count++;
    this.slots.set(real, slot);
    this.own.push(slot);
    return slot;
  }

  /** Section 7.1: updates the innermost variable of that name, else makes one here. */
  writer(name: string): (run: Run, value: Value) => void {
    const here = this.declare(name);
    const outer = this.candidates(realName(name)).filter((slot) => slot !== here);
    if (outer.length === 0) {
      return (run, value) => {
        run.locals[here] = value;
      };
    }
    return (run, value) => {
      if (run.locals[here] === undefined) {
        for (const slot of outer) {
          if (run.locals[slot] !== undefined) {
            run.locals[slot] = value;
            return;
          }
        }
      }
      run.locals[here] = value;
    };
  }

  private candidates(name: string): number[] {
    const found: number[] = [];
    for (let scope: Scope | null = this; scope !== null; scope = scope.parent) {
      const slot = scope.slots.get(name);
      if (slot !== undefined) found.push(slot);
    }
    return found;
  }
}
