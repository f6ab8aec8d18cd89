// Assigns slots (indexes into the run's array of variables) to variables when a script is compiled
// (docs/reference/language.md#variables-and-scopes). Whether a variable exists is only known while the script runs: a
// slot that holds `undefined` means that the variable does not exist.

import type { PatternScope } from "../../grok/patterns.ts";
import { Key } from "../../point/view.ts";
import { readPoint } from "../runtime/point-access.ts";
import type { Run } from "../runtime/run.ts";
import type { Value } from "../runtime/value.ts";

/** Returns the real name of a key or variable: `message` for the short name `_`, and any other name unchanged. */
export function realName(name: string): string {
  return name === "_" ? "message" : name;
}

/**
 * The slot (index into the run's array of variables) of a variable. `outer` is the variable of the same name in a
 * surrounding scope, which the script reads while the slot is empty.
 */
interface Place {
  readonly slot: number;
  readonly outer: Place | null;
}

/** The variables of one script that the compiler has met so far. */
export class Variables {
  count = 0;
  /** Name of each variable, by its slot (index into the run's array of variables). */
  readonly names: string[] = [];
  /** Maps each name to the variable of this name in the innermost open scope that has such a variable. */
  readonly places = new Map<string, Place>();
}

/**
 * A scope of variables. The compiler opens a scope by `child` at the start of a block, and closes it by `close` at the
 * end of the block.
 */
export class Scope {
  readonly patterns: PatternScope;
  private readonly variables: Variables;
  private readonly names = new Set<string>();
  /**
   * The slots (indexes into the run's array of variables) of this scope's variables. The list is complete after
   * the scope's block has been compiled.
   */
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

  /**
   * Removes the values of this scope's variables. Called when the block is entered and between iterations of a loop.
   */
  clear(run: Run): void {
    const { own } = this;
    for (let index = 0; index < own.length; index++) run.locals[own[index]!] = undefined;
  }

  /**
   * Returns a function that reads the variable or key with the given name. If variables of that name exist at
   * run time, that function returns the value of the innermost one. Otherwise it returns the value of the
   * point's key with that name, or undefined if the point has no such key. `read` is the function that reads
   * the point.
   */
  reader(name: string, read = readPoint): (run: Run) => Value | undefined {
    const real = realName(name);
    return readerOf(real, this.variables.places.get(real), read);
  }

  /**
   * Returns a function that reads the variable or key with the given name. When neither a variable nor a key
   * has the name, that function returns nil, whereas a function made by `reader` returns undefined.
   */
  valueReader(name: string): (run: Run) => Value {
    const place = this.variables.places.get(realName(name));
    if (place !== undefined && place.outer === null) {
      const { slot } = place;
      const key = new Key(realName(name));
      return (run) => {
        const value = run.locals[slot];
        return value === undefined ? (readPoint(run, key) ?? null) : (value as Value);
      };
    }
    const read = this.reader(name);
    return (run) => read(run) ?? null;
  }

  /**
   * Returns a function that reads the variable with the given name, and never the key of the point that has
   * the same name. That function returns undefined when the variable does not exist at run time. When it is
   * certain at compile time that no variable of that name can exist here, returns null instead of a function.
   */
  localReader(name: string): ((run: Run) => Value | undefined) | null {
    const innermost = this.variables.places.get(realName(name));
    return innermost === undefined ? null : readerOf(realName(name), innermost, () => undefined);
  }

  /**
   * Returns the slot (index into the run's array of variables) of the only variable that a name can refer to in
   * this scope; null when there is no such variable or more than one.
   */
  slotOf(name: string): number | null {
    const place = this.variables.places.get(realName(name));
    return place?.outer === null ? place.slot : null;
  }

  /**
   * Returns whether a variable with the given name may exist in this scope at run time. When this is false,
   * the name always means a key of the point.
   */
  mayBeVariable(name: string): boolean {
    return this.variables.places.has(realName(name));
  }

  /**
   * Returns a function for names that are known only at run time. The function takes a name, and returns a function
   * that reads the variable or key with this name, as `reader` does.
   */
  readers(): (name: string) => (run: Run) => Value | undefined {
    const places = new Map(this.variables.places);
    return (name) => readerOf(realName(name), places.get(realName(name)), readPoint);
  }

  /** Reserves a slot (an index into the run's array of variables) for a variable that is assigned in this scope. */
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

  /**
   * Returns a function that assigns to a name: it updates the innermost existing variable of this name, or else makes a
   * variable in this scope.
   */
  writer(name: string): (run: Run, value: Value) => void {
    this.declare(name);
    const here = this.variables.places.get(realName(name))!;
    if (here.outer === null) {
      const { slot } = here;
      return (run, value) => {
        run.locals[slot] = value;
      };
    }
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
  if (innermost.outer === null) {
    const { slot } = innermost;
    return (run) => {
      const value = run.locals[slot];
      return value === undefined ? read(run, key) : (value as Value);
    };
  }
  return (run) => {
    for (let place: Place | null = innermost; place !== null; place = place.outer) {
      const value = run.locals[place.slot];
      if (value !== undefined) return value as Value;
    }
    return read(run, key);
  };
}
