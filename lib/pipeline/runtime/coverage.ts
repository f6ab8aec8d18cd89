// Counts the points for which each part of a script ran: each statement, each call of `grok`, and each branch of
// an `if`. For each call of `grok`, also counts the points that the call matched. Only counters are stored for
// each statement and call, and nothing for a point, so the points of a whole file can be counted.

import type { Offset, Statement } from "../syntax/ast.ts";
import type { Probe, ProbedStatement } from "./instrumentation.ts";

/** A statement or a call of `grok` in a script, with the number of points for which it ran. */
export interface CoveredPlace {
  /** The script and the UTF-16 offset where the statement or call begins. */
  readonly script: string;
  readonly at: Offset;
  readonly kind: Statement["kind"] | "grok";
  /** Number of points for which the statement or the call of `grok` ran at least once. */
  readonly points: number;
  /** For a call of `grok`, the number of points that the call matched at least once; 0 for a statement. */
  readonly matched: number;
  /** For an `if`, the number of points that took each branch at least once, by the index of the branch. */
  readonly branches: readonly number[];
}

/**
 * A probe (a receiver of run events) that counts, for each statement and `grok` call, the points for which it
 * ran.
 */
export interface Coverage extends Probe {
  /**
   * The statements and `grok` calls that have run, in the order in which they first ran. The index of an element
   * never changes.
   */
  readonly places: readonly CoveredPlace[];
  /**
   * The statements and `grok` calls that ran for the last point, in the order in which they ran, as indexes into
   * `places`.
   */
  readonly reached: readonly number[];
  /** The `grok` calls that ran for the last point and did not match it, as indexes into `places`. */
  readonly missed: readonly number[];
  /** Whether any `grok` call matched the point that the script ran over last. */
  readonly hasMatch: boolean;
}

/**
 * Makes the counters of a coverage, for the points of any number of runs. The runs must not overlap in time.
 *
 * @example
 * const coverage = createCoverage();
 * // compile with `probes: true`, run each point with `probe: coverage`
 * coverage.places; // []
 */
export function createCoverage(): Coverage {
  return new Counter();
}

interface Place {
  readonly script: string;
  readonly at: Offset;
  readonly kind: CoveredPlace["kind"];
  points: number;
  matched: number;
  readonly branches: number[];
  /**
   * Numbers of points, counted from 1: the last point for which the statement or `grok` call ran, the last point
   * that the `grok` call matched and, for each branch, the last point for which the branch was taken. With these
   * numbers, a point is counted only once, even when a statement runs several times for it.
   */
  lastPoint: number;
  lastMatch: number;
  readonly lastBranches: number[];
}

/**
 * The entries of one statement in the list `places`: `index` is the index of the statement's own entry. `groks`
 * maps the offset of each `grok` call in the statement to the index of the call's entry.
 */
interface Known {
  readonly index: number;
  readonly script: string;
  readonly groks: Map<Offset, number>;
}

class Counter implements Coverage {
  readonly places: Place[] = [];
  reached: number[] = [];
  missed: number[] = [];
  hasMatch = false;
  private readonly known = new Map<ProbedStatement, Known>();
  private readonly open: Known[] = [];
  /** Number of the point over which the script runs now, counted from 1. */
  private point = 0;
  private running = false;

  enter(_run: unknown, statement: ProbedStatement): void {
    if (!this.running) this.begin();
    let known = this.known.get(statement);
    if (known === undefined) {
      const script = statement.source.file;
      known = { index: this.add(script, statement.at, statement.kind), script, groks: new Map() };
      this.known.set(statement, known);
    }
    this.open.push(known);
    this.reach(known.index);
  }

  leave(): void {
    this.open.pop();
  }

  branch(_run: unknown, index: number): void {
    const { branches, lastBranches } = this.places[this.open.at(-1)!.index]!;
    if (lastBranches[index] === this.point) return;
    lastBranches[index] = this.point;
    while (branches.length <= index) branches.push(0);
    branches[index]!++;
  }

  grok(_run: unknown, at: Offset, matched: boolean): void {
    const top = this.open.at(-1);
    if (top === undefined) return;
    let index = top.groks.get(at);
    if (index === undefined) {
      index = this.add(top.script, at, "grok");
      top.groks.set(at, index);
    }
    this.reach(index);
    const place = this.places[index]!;
    if (!matched || place.lastMatch === this.point) return;
    place.lastMatch = this.point;
    place.matched++;
    this.hasMatch = true;
  }

  end(): void {
    if (!this.running) this.begin();
    this.running = false;
    this.open.length = 0;
    this.missed = this.reached.filter((index) => {
      const { kind, lastMatch } = this.places[index]!;
      return kind === "grok" && lastMatch !== this.point;
    });
  }

  private begin(): void {
    this.running = true;
    this.point++;
    this.reached = [];
    this.hasMatch = false;
  }

  private add(script: string, at: Offset, kind: CoveredPlace["kind"]): number {
    const counts = { points: 0, matched: 0, branches: [], lastPoint: 0, lastMatch: 0, lastBranches: [] };
    return this.places.push({ script, at, kind, ...counts }) - 1;
  }

  private reach(index: number): void {
    const place = this.places[index]!;
    if (place.lastPoint === this.point) return;
    place.lastPoint = this.point;
    place.points++;
    this.reached.push(index);
  }
}
