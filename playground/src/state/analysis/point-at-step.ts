// Computes the point and the variables after a step (an executed statement) of a run. They follow from the
// changes that this step and all earlier steps made.

import type { EntryText, PointText } from "../../worker/protocol.ts";
import type { ChangeText, StepsAnswer, StepText } from "../../worker/steps/steps.ts";

export interface EntryAtStep extends EntryText {
  /** Whether the chosen step, and not an earlier one, has set this entry (tag or field). */
  readonly isChanged: boolean;
}

export interface PointAtStep {
  readonly name: string;
  readonly time: bigint;
  readonly isNameChanged: boolean;
  readonly isTimeChanged: boolean;
  readonly entries: readonly EntryAtStep[];
  /** Keys that the chosen step, and not an earlier one, has removed from the point. */
  readonly removed: readonly string[];
}

/**
 * Returns the point after step `at`; the first step has the index 0. For -1, returns the point before the
 * script; for the number of all steps, returns the point at the end of the run.
 */
export function pointAt({ before, steps, after }: StepsAnswer, at: number): PointAtStep {
  const entries = new Map(before.entries.map((entry) => [entry.key, entry]));
  let point: Pick<PointText, "name" | "time"> = before;
  const apply = (change: ChangeText) => {
    if (change.kind === "name") point = { ...point, name: change.text };
    else if (change.kind === "time") point = { ...point, time: change.time };
    else applyTo(entries, change);
  };
  for (const { changes } of steps.slice(0, at + 1)) changes.forEach(apply);
  if (at >= steps.length) after.forEach(apply);
  const own = at >= steps.length ? after : (steps[at]?.changes ?? []);
  const set = new Set(own.flatMap((change) => ("key" in change && change.kind !== "removed" ? [change.key] : [])));
  return {
    ...{ name: point.name, time: point.time },
    isNameChanged: own.some(({ kind }) => kind === "name"),
    isTimeChanged: own.some(({ kind }) => kind === "time"),
    entries: [...entries.values()].map((entry) => ({ ...entry, isChanged: set.has(entry.key) })),
    removed: own.flatMap((change) =>
      change.kind === "removed" ? [change.key] : change.kind === "renamed" ? [change.from] : [],
    ),
  };
}

type EntryChange = Extract<ChangeText, { readonly key: string }>;

function applyTo(entries: Map<string, EntryText>, change: EntryChange): void {
  if (change.kind === "removed") entries.delete(change.key);
  else if (change.kind === "renamed") {
    const entry = entries.get(change.from);
    entries.delete(change.from);
    if (entry !== undefined) entries.set(change.key, { ...entry, key: change.key });
  } else entries.set(change.key, { key: change.key, kind: change.valueKind, isTag: change.isTag, text: change.text });
}

export interface VariableAtStep {
  readonly name: string;
  readonly value: string;
  /** Whether the chosen step, and not an earlier one, has assigned the variable. */
  readonly isChanged: boolean;
}

/** Returns the variables of the step's script after step `at`, in the order of their first assignment. */
export function variablesAt(steps: readonly StepText[], at: number): VariableAtStep[] {
  const current = steps[Math.min(at, steps.length - 1)];
  if (at < 0 || current === undefined) return [];
  const values = new Map<string, string>();
  for (const { script, variables } of steps.slice(0, at + 1)) {
    if (script === current.script) for (const { name, value } of variables) values.set(name, value);
  }
  const own = new Set(at < steps.length ? current.variables.map(({ name }) => name) : []);
  return Array.from(values, ([name, value]) => ({ name, value, isChanged: own.has(name) }));
}
