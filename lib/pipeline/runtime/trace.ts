// Records what each statement of a run did: the keys that it set, removed and renamed, the variables that it assigned,
// the branch that it took, and whether it dropped the point or failed. Traces are for debugging and slow, because the
// point is copied after every statement.

import type { CategoryName } from "../../point/category.ts";
import { type Change, changesBetween, type Snapshot, shownValue, snapshotOf } from "../../point/changes.ts";
import type { PointValue } from "../../point/value.ts";
import type { PointView } from "../../point/view.ts";
import { requireCount } from "../../text/argument.ts";
import { isBytes } from "../../text/bytes.ts";
import type { Statement } from "../syntax/ast.ts";
import type { Probe, ProbedStatement } from "./instrumentation.ts";
import { toJsonText } from "./json-text.ts";
import type { CreatedPoint, Run } from "./run.ts";
import { isDict, isList, isText, type Value, VOID } from "./value.ts";

/** An assignment of a value to a variable, as the trace records it. */
export interface VariableChange {
  readonly name: string;
  /** The new value of the variable, written as in a script. */
  readonly value: string;
}

/** One execution of a statement. The executions of inner statements follow it in the list, with a greater `depth`. */
export interface TraceStep {
  readonly script: string;
  /** Line and column where the statement starts. Both count from 1, in code points. */
  readonly ln: number;
  readonly col: number;
  readonly kind: Statement["kind"];
  /** Number of surrounding statements, including the `use` statements that called the script. */
  readonly depth: number;
  /** The source text from the start of the statement to the end of its line. */
  readonly text: string;
  /**
   * The changes that the statement itself made to the point. For an `if` or `for`, these are the changes that its head
   * made, such as a call in the condition.
   */
  readonly changes: readonly Change[];
  readonly variables: readonly VariableChange[];
  /** For an `if`, the index of the branch that it took, from 0; null when it took none. */
  readonly branch: number | null;
  readonly dropped: boolean;
  /** The grok expressions in the statement that were tried and did not match. */
  readonly unmatched: readonly string[];
  /** Points that the statement made by `create_point`. */
  readonly created: readonly TracedPoint[];
  readonly error: string | null;
}

/** A point that `create_point` made, with the content that it had directly after the call. */
export interface TracedPoint {
  readonly category: CategoryName;
  readonly name: string;
  /** Tags and fields of the created point. */
  readonly keys: readonly Change[];
}

/** A probe (a receiver of run events) that records the steps of a run. */
export interface Trace extends Probe {
  readonly steps: readonly TraceStep[];
  /** The changes to the point after the script ended: the mapped status and the time. */
  readonly after: readonly Change[];
  /** Whether the run had more steps, or longer values of variables, than the trace keeps. */
  readonly truncated: boolean;
}

/** Largest number of characters that are recorded of one variable's value. */
const longestShown = 1 << 12;
/** Largest number of characters that are recorded of all variables' values together. */
const mostShown = 1 << 24;

/**
 * Makes a trace for one run.
 *
 * @example
 * const trace = createTrace();
 * // compile with `probes: true`, run with `probe: trace`
 * trace.steps; // []
 */
export function createTrace(maxSteps = 10_000): Trace {
  requireCount("createTrace", "maxSteps", maxSteps, "of steps");
  return new Tracer(maxSteps);
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type OpenStep = Mutable<TraceStep> & {
  changes: Change[];
  variables: VariableChange[];
  unmatched: string[];
  created: TracedPoint[];
};

/** A statement that has begun but not ended, with the variables of its script. */
interface Open {
  readonly step: OpenStep;
  readonly names: readonly string[];
  readonly locals: readonly unknown[];
}

class Tracer implements Trace {
  readonly steps: OpenStep[] = [];
  readonly after: Change[] = [];
  truncated = false;
  private readonly maxSteps: number;
  private readonly open: Open[] = [];
  private point: PointView | null = null;
  private last: Snapshot | null = null;
  private dropped = false;
  /** Number of points that the run had created when the trace last recorded the state of the run. */
  private made = 0;
  /** Number of characters that the trace has recorded so far of the values of all variables. */
  private shown = 0;
  /** The values of the variables of each script, as strings, as the trace recorded them last. */
  private readonly values = new Map<readonly unknown[], (string | undefined)[]>();

  constructor(maxSteps: number) {
    this.maxSteps = maxSteps;
  }

  enter(run: Run, { source, at, kind, variables }: ProbedStatement): void {
    this.recordChanges(run);
    const { ln, col } = source.position(at);
    const lineEnd = source.text.indexOf("\n", at);
    const step: OpenStep = {
      script: source.file,
      ln,
      col,
      kind,
      depth: this.open.length,
      text: source.text.slice(at, lineEnd < 0 ? undefined : lineEnd).trimEnd(),
      changes: [],
      variables: [],
      branch: null,
      dropped: false,
      unmatched: [],
      created: [],
      error: null,
    };
    if (this.steps.length < this.maxSteps) this.steps.push(step);
    else this.truncated = true;
    this.open.push({ step, names: variables, locals: run.locals });
  }

  leave(run: Run, _statement: ProbedStatement, failure: unknown): void {
    this.recordChanges(run);
    const { step } = this.open.pop()!;
    if (failure !== undefined) step.error = failure instanceof Error ? failure.message : String(failure);
  }

  branch(run: Run, index: number): void {
    this.recordChanges(run);
    this.open.at(-1)!.step.branch = index;
  }

  unmatched(_run: Run, expression: string): void {
    this.open.at(-1)?.step.unmatched.push(expression);
  }

  end(run: Run): void {
    this.open.length = 0;
    this.recordChanges(run);
  }

  /**
   * Compares the point and the variables with their last recorded state, and adds the changes to the innermost open
   * statement.
   */
  private recordChanges(run: Run): void {
    const now = snapshotOf(run.point);
    const top = this.open.at(-1);
    if (this.last !== null && this.point === run.point) {
      const changes = changesBetween(this.last, now);
      for (const change of changes) (top?.step.changes ?? this.after).push(change);
    }
    this.point = run.point;
    this.last = now;
    if (run.dropped && !this.dropped && top !== undefined) top.step.dropped = true;
    this.dropped = run.dropped;
    for (; this.made < run.created.length; this.made++) top?.step.created.push(tracedPoint(run.created[this.made]!));
    if (top !== undefined && !this.truncated) this.lookAtVariables(top);
  }

  private lookAtVariables({ step, names, locals }: Open): void {
    let known = this.values.get(locals);
    if (known === undefined) this.values.set(locals, (known = []));
    for (const [slot, name] of names.entries()) {
      const held = locals[slot];
      const value = held === undefined ? undefined : shownScriptValue(held as Value);
      if (value !== undefined && value !== known[slot]) {
        step.variables.push({ name, value });
        this.shown += value.length;
        if (this.shown > mostShown) this.truncated = true;
      }
      known[slot] = value;
    }
  }
}

function tracedPoint({ category, point }: CreatedPoint): TracedPoint {
  const made = snapshotOf(point);
  return { category, name: point.name, keys: changesBetween({ ...made, entries: new Map() }, made) };
}

/** Returns a value of a point or variable as text; lists and maps as JSON. */
function shownScriptValue(value: Value): string {
  if (value === VOID) return "nil";
  if (isList(value) || (isDict(value) && !isBytes(value)))
    return toJsonText(value, 2, undefined, longestShown) ?? "a value that is too long, or has no JSON text";
  if (isText(value) && value.length > longestShown) return `a text of ${value.length} characters`;
  return shownValue(value as PointValue);
}
