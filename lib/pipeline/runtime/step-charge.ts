// What goes over large values pays for it in steps, so that a script's limit bounds what it costs. Functions pay for each
// argument they look at; those whose work is not of that order pay for the rest by themselves.

import { isBytes } from "../../point/value.ts";
import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

/** About what a statement costs; less is part of the statement that calls. */
const unitsPerStep = 64;

/** Charges work on so many bytes, characters or elements. That the steps are used up is noticed at the next statement. */
export function work(run: Run, units: number): void {
  if (units >= unitsPerStep) run.steps -= Math.floor(units / unitsPerStep);
}

/** Charges for looking at a value once. */
export function workOn(run: Run, value: Value): void {
  if (typeof value === "string" || Array.isArray(value) || isBytes(value)) work(run, value.length);
  else if (value instanceof Map) work(run, value.size * 4);
}

/** Charges for each value that `read` gives. */
export function charged<T extends Value | undefined>(read: (run: Run) => T): (run: Run) => T {
  return (run) => {
    const value = read(run);
    if (typeof value === "string" || (typeof value === "object" && value !== null)) workOn(run, value);
    return value;
  };
}

/** Charges for a text that was joined from others: the next one may be twice as long. */
export function workOnGrowth(run: Run, text: string): void {
  work(run, text.length * 8);
  run.memory.makeText(text.length);
}
