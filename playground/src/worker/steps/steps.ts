// The messages between page and worker about the steps of a run over one point.

import type { Kind, PlError, TraceStep, VariableChange } from "../../../../lib/index.ts";
import type { PointText } from "../protocol.ts";

/** A change of the point by a statement. */
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

/** One execution of a statement. The executions inside it follow with a greater depth. */
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
  /** The point before the script. */
  readonly before: PointText;
  readonly steps: readonly StepText[];
  /** The changes after the last statement: the mapped status, and the time. */
  readonly after: readonly ChangeText[];
  readonly error: PlError | null;
  /** Whether the run had more steps than the answer holds. */
  readonly isCut: boolean;
}
