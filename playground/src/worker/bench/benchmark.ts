// The messages between page and worker about benchmarks.

import type { Job, ScriptText } from "../protocol.ts";

export interface BenchmarkJob {
  /** The input and the settings; its scripts are the first ones that are measured. */
  readonly job: Job;
  /** Scripts that are measured in turns with those of the job; null for none. */
  readonly other: readonly ScriptText[] | null;
  /** Time in milliseconds for which each of the scripts is measured. */
  readonly ms: number;
}

/** The times of one set of scripts, in nanoseconds per point. */
export interface Times {
  readonly median: number;
  /** The times that 5 % of the rounds are below and above. */
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
  /** Number of rounds in each part of `Benchmark.parts`. */
  readonly histogram: readonly number[];
}

/** The share of a statement in the time of all statements, 0 to 1. */
export interface StatementShare {
  readonly script: string;
  readonly ln: number;
  readonly text: string;
  readonly share: number;
}

export interface Benchmark {
  /** Number of points that were measured. */
  readonly points: number;
  readonly times: Times;
  /** The times of the other scripts; null when there are none. */
  readonly other: Times | null;
  /** The bounds of the parts of both histograms, in nanoseconds per point: one more than there are parts. */
  readonly parts: readonly number[];
  /** The statements of the job's scripts, the slowest first. */
  readonly statements: readonly StatementShare[];
}
