// Assigns slots to variables when a script is compiled (docs/reference/language.md#variables-and-scopes). Whether a variable
// exists is known only while running (an `undefined` slot is "no such variable").

import type { PatternScope } from "../../grok/patterns.ts";
import { Key } from "../../point/view.ts";
import { readPoint } from "../runtime/point-access.ts";
import type { Run } from "../runtime/run.ts";
import type { Value } from "../runtime/value.ts";

/** Returns the real name of a key or variable: `_` stands for `message`. */
export function realName(name: string): string {
  return name === "_" ? "message" : name;
}

/** A slot that a name may have, and the place in the scope around, which is used while the slot is empty. */
interface Place {
  readonly slot: number;
  readonly outer: Place | null;
}

/** The variables of one script that have been compiled so far. */
export class Variables {
  count = 0;
  /** Name of the variable in each slot. */
  readonly names: string[] = [];
  /** The innermost place of each name in the open scopes. */
  readonly places = new Map<string, Place>();
}

/**
 * A scope of variables. Scopes open and close in the order of the text: `child` opens one, and `close` must follow when
 * its block is compiled.
 */
export class Scope {
  readonly patterns: PatternScope;
  private readonly variables: Variables;
  private readonly names = new Set<string>();
  /** The slots of this scope; the list is complete when its block is compiled. */
  private readonly own: number[] = [];

  constructor(patterns: PatternScope, variables: Variables) {
    this.patterns = patterns;
    this.variables = variables;
  }

  child(): Scope {
    return new Scope(this.patterns.child(), this.variables);
  }

  close(): void {
    const { places } = this.variables;
    for (const name of this.names) {
      const { outer } = places.get(name)!;
      if (outer === null) places.delete(name);
      else places.set(name, outer);
    }
  }

  /** Clears the variables of this scope, when its block is entered and between iterations of a loop. */
  clear(run: Run): void {
    const { own } = this;
    for (let index = 0; index < own.length; index++) run.locals[own[index]!] = undefined;
  }

  /**
   * Returns a reader for a name: the innermost variable, else the point's key; undefined when neither
   * exists. `read` reads the point.
   */
  reader(name: string, read = readPoint): (run: Run) => Value | undefined {
    const real = realName(name);
    return readerOf(real, this.variables.places.get(real), read);
  }

  /** Returns whether a variable with this name may exist here; if not, the name is always the point's key. */
  mayBeVariable(name: string): boolean {
    return this.variables.places.has(realName(name));
  }

  /** Returns a function that makes readers as `reader` would here, for names that become known later. */
  readers(): (name: string) => (run: Run) => Value | undefined {
    const places = new Map(this.variables.places);
    return (name) => readerOf(realName(name), places.get(realName(name)), readPoint);
  }

  /** Reserves a slot for a variable that is assigned in this scope. */
  declare(name: string): void {
    const real = realName(name);
    if (this.names.has(real)) return;
    const slot = this.variables.count++;
    const { places, names } = this.variables;
    names.push(real);
    places.set(real, { slot, outer: places.get(real) ?? null });
    this.names.add(real);
    this.own.push(slot);
  }

  /** Returns a writer for a name: it updates the innermost variable with this name, else makes one here. */
  writer(name: string): (run: Run, value: Value) => void {
    this.declare(name);
    const here = this.variables.places.get(realName(name))!;
    return (run, value) => {
      for (let place: Place | null = here; place !== null; place = place.outer) {
        if (run.locals[place.slot] !== undefined) {
          run.locals[place.slot] = value;
          return;
        }
      }
      run.locals[here.slot] = value;
    };
  }
}

function readerOf(name: string, innermost: Place | undefined, read: typeof readPoint): (run: Run) => Value | undefined {
  const key = new Key(name);
  if (innermost === undefined) return (run) => read(run, key);
  return (run) => {
    for (let place: Place | null = innermost; place !== null; place = place.outer) {
      const value = run.locals[place.slot];
      if (value !== undefined) return value as Value;
    }
    return read(run, key);
  };
}
