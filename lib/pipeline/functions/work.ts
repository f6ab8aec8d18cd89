// Functions that go over large values pay for it in steps, so that a script's limit bounds what it costs.

import { isBytes } from "../../point/value.ts";
import type { Run } from "../run.ts";
import type { Value } from "../value.ts";

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
