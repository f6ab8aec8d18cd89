// The step debugger: the steps of the selected point, the step that is shown, and the breakpoints.

import { t } from "../../text/translate.ts";
import type { SideWorker } from "../../worker/client.ts";
import type { Job, PointRecord } from "../../worker/protocol.ts";
import type { StepsAnswer } from "../../worker/steps/steps.ts";

/** Time limit in milliseconds for the run from the first point to the selected one. */
const limitMs = 20_000;

export type Move = "start" | "back" | "forward" | "over" | "overBack" | "out" | "end" | "breakpoint" | "breakpointBack";

export class Stepper {
  answer = $state.raw<StepsAnswer | null>(null);
  /**
   * Index of the step (executed statement) that is shown; -1 for the point before the script, the number of all steps
   * for the point after it.
   */
  at = $state(-1);
  /** The reason why there are no steps; empty when there are steps, and while they are requested. */
  problem = $state("");
  /** Lines with a breakpoint, by script. */
  breakpoints = $state.raw<ReadonlyMap<string, readonly number[]>>(new Map());
  /** Number of the point whose steps are shown; 0 for none. */
  number = $state(0);
  /** Whether the steps are shown on the page. */
  isOpen = $state(false);

  private readonly worker: SideWorker;
  private readonly job: () => Job;
  private asked = 0;
  /** The line of a script to which the debugger goes as soon as the requested steps arrive; null for none. */
  private goal: { readonly script: string; readonly ln: number } | null = null;

  constructor(worker: SideWorker, job: () => Job) {
    this.worker = worker;
    this.job = job;
  }

  /** The step (executed statement) that is shown; null before the first step and after the last one. */
  get step() {
    return this.answer?.steps[this.at] ?? null;
  }

  /**
   * Requests the steps of a row's point. When the point is the one whose steps were requested last, the same step stays
   * selected.
   */
  async open(record: PointRecord): Promise<void> {
    const own = ++this.asked;
    const { number } = record;
    if (number === 0 || record.outcome === "refused") {
      this.show(0, null, t("This row is not a point, so no statement ran for it."));
      return;
    }
    const answer = await this.ask(number);
    if (own !== this.asked) return;
    if (answer === null) this.show(number, null, t("The script did not come to this point within 20 seconds."));
    else if (typeof answer === "string") this.show(number, null, answer);
    else this.show(number, answer, "");
  }

  /** Returns the steps of a point without showing them; null when there are none. */
  async stepsOf(number: number): Promise<StepsAnswer | null> {
    const answer = await this.ask(number);
    return typeof answer === "string" ? null : answer;
  }

  private ask(number: number) {
    return this.worker.call(limitMs, (api) => api.steps(this.job(), number));
  }

  close(): void {
    this.asked++;
    this.isOpen = false;
    this.show(0, null, "");
  }

  private show(number: number, answer: StepsAnswer | null, problem: string): void {
    const isSame = number === this.number;
    this.number = number;
    this.answer = answer;
    this.problem = problem;
    const { goal } = this;
    this.goal = null;
    const last = answer?.steps.length ?? 0;
    this.at = isSame ? Math.min(this.at, last) : -1;
    if (answer === null) this.at = -1;
    else if (goal !== null) this.runTo(goal.script, goal.ln);
  }

  move(move: Move): void {
    const { answer, at } = this;
    if (answer === null) return;
    const { steps } = answer;
    const depth = steps[at]?.depth ?? 0;
    const next = (from: number, found: (index: number) => boolean) => {
      for (let index = from; index < steps.length; index++) if (found(index)) return index;
      return steps.length;
    };
    const previous = (from: number, found: (index: number) => boolean) => {
      for (let index = from; index >= 0; index--) if (found(index)) return index;
      return -1;
    };
    const isBreak = (index: number) => {
      const { script, ln } = steps[index]!;
      return this.breakpoints.get(script)?.includes(ln) === true;
    };
    this.at = {
      start: () => -1,
      end: () => steps.length,
      forward: () => Math.min(steps.length, at + 1),
      back: () => Math.max(-1, at - 1),
      over: () => next(at + 1, (index) => steps[index]!.depth <= depth),
      overBack: () => previous(at - 1, (index) => steps[index]!.depth <= depth),
      out: () => next(at + 1, (index) => steps[index]!.depth < depth),
      breakpoint: () => next(at + 1, isBreak),
      breakpointBack: () => previous(at - 1, isBreak),
    }[move]();
  }

  go(at: number): void {
    this.at = at;
  }

  /**
   * Moves forward to the next step at a line. When no later step is at the line, moves to the first step at the line.
   */
  runTo(script: string, ln: number): void {
    const { answer } = this;
    if (answer === null) {
      this.goal = { script, ln };
      return;
    }
    const isThere = (step: { readonly script: string; readonly ln: number }) =>
      step.script === script && step.ln === ln;
    const later = answer.steps.findIndex((step, index) => index > this.at && isThere(step));
    const found = later < 0 ? answer.steps.findIndex(isThere) : later;
    if (found >= 0) this.at = found;
  }

  setBreakpoints(script: string, lines: readonly number[]): void {
    this.breakpoints = new Map([...this.breakpoints, [script, lines]]);
  }
}
