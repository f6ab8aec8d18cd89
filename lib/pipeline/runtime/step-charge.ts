// Charges steps for work on large values, so that a script's step limit bounds its cost. Functions pay for each
// argument that they read; a function whose work is of a higher order charges the rest by itself.

import { isBytes } from "../../point/value.ts";
import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

/** Units of work that cost about as much as a statement; less is part of the calling statement. */
const unitsPerStep = 64;

/** Charges work on so many bytes, characters or elements. The next statement notices when the steps are used up. */
export function work(run: Run, units: number): void {
  if (units >= unitsPerStep) run.steps -= Math.floor(units / unitsPerStep);
}

/** Charges for reading a value once. */
export function workOn(run: Run, value: Value): void {
  if (typeof value === "string" || Array.isArray(value) || isBytes(value)) work(run, value.length);
  else if (value instanceof Map) work(run, value.size * 4);
}

/** Returns a reader that charges for each value that `read` returns. */
export function charged<T extends Value | undefined>(read: (run: Run) => T): (run: Run) => T {
  return (run) => {
    const value = read(run);
    if (typeof value === "string" || (typeof value === "object" && value !== null)) workOn(run, value);
    return value;
  };
}

/** Charges for a text that was joined from others, because the next one may be twice as long. */
export function workOnGrowth(run: Run, text: string): void {
  work(run, text.length * 8);
  run.memory.makeText(text.length);
}
