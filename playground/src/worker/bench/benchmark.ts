// The messages between the page and the worker about benchmarks of scripts.

import type { Job, ScriptText } from "../protocol.ts";

export interface BenchmarkJob {
  /** The input, the settings, and the first set of scripts to measure. */
  readonly job: Job;
  /** A second set of scripts, which is measured alternately with the scripts of `job`; null for none. */
  readonly other: readonly ScriptText[] | null;
  /** Time in milliseconds for which each set of scripts is measured. */
  readonly ms: number;
}

/** The measured times of one set of scripts, in nanoseconds per point. */
export interface Times {
  readonly median: number;
  /**
   * 5 % of the rounds (repetitions of the measurement) took less time than `low`, and 5 % took more time than `high`.
   */
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
  /** Number of rounds (repetitions of the measurement) in each interval of the histogram (see `Benchmark.parts`). */
  readonly histogram: readonly number[];
}

/** A statement, with the fraction (0 to 1) that it takes of the run time of all statements. */
export interface StatementShare {
  readonly script: string;
  readonly ln: number;
  readonly text: string;
  readonly share: number;
}

export interface Benchmark {
  /** Number of points over which the scripts were measured. */
  readonly points: number;
  readonly times: Times;
  /** The times of the second set of scripts; null when there is none. */
  readonly other: Times | null;
  /**
   * The limits of the histogram's intervals, in nanoseconds per point; there is one limit more than there are
   * intervals. Both sets of scripts use the same intervals.
   */
  readonly parts: readonly number[];
  /** The statements of the job's scripts, the slowest first. */
  readonly statements: readonly StatementShare[];
}
