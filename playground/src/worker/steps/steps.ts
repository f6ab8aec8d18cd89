// The messages between the page and the worker about the steps (executed statements) of a run over one point.

import type { Kind, PlError, TraceStep, VariableChange } from "../../../../lib/index.ts";
import type { PointText } from "../protocol.ts";

/** A change that a statement made to the point. */
export type ChangeText =
  | {
      readonly kind: "set";
      readonly key: string;
      readonly isTag: boolean;
      readonly valueKind: Kind;
      /** The value as text, shortened when it is very long. */
      readonly text: string;
    }
  | { readonly kind: "removed"; readonly key: string }
  | { readonly kind: "renamed"; readonly from: string; readonly key: string }
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "time"; readonly time: bigint };

/**
 * One execution of a statement. When the statement contains other statements, their executions follow it in the
 * list of steps, with a greater depth.
 */
export interface StepText
  extends Pick<
    TraceStep,
    "script" | "ln" | "col" | "kind" | "depth" | "text" | "branch" | "dropped" | "unmatched" | "error"
  > {
  readonly changes: readonly ChangeText[];
  readonly variables: readonly VariableChange[];
  /** Names of the points that the statement created. */
  readonly created: readonly string[];
}

export interface StepsAnswer {
  /** The point before the script ran. */
  readonly before: PointText;
  readonly steps: readonly StepText[];
  /**
   * The changes that the run made to the point after the last statement: the run replaces the status by its standard
   * name, and sets the time.
   */
  readonly after: readonly ChangeText[];
  readonly error: PlError | null;
  /** Whether some steps or some values of variables are left out, because the run had too many of them. */
  readonly isCut: boolean;
}
