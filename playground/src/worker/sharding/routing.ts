// The job that the page gives the worker for the routes of points, and the worker's answer. All types in this file can
// be posted between threads.

import type { CategoryName } from "../../../../lib/index.ts";

/**
 * The program that makes the header X-Global-Tags. `rules`: the gateway makes it by its rules for tags. `keys`:
 * the agent makes it by its shard keys.
 */
export type HeaderMaker = "rules" | "keys";

/** Whether a gateway sends a write to all matching entries of the sink rules, or only to the first matching entry. */
export type Matching = "all" | "first";

export interface RoutingJob {
  readonly maker: HeaderMaker;
  /** The tag rules, as text in YAML or JSON. They decide which tags the header X-Global-Tags has. */
  readonly tags: string;
  /** Shard keys of the agent: names of keys, separated by commas. */
  readonly keys: string;
  /** The file of sink rules, which choose the targets of a write, in JSON. */
  readonly sinks: string;
  readonly matching: Matching;
  /** The points to route, in line protocol. */
  readonly points: string;
  readonly category: CategoryName;
  /** The time, in nanoseconds since 1970, for points without a time. */
  readonly now: bigint;
}

/** A problem of a text, and the range of the text that the editor underlines, in UTF-16 units. */
export interface TextProblem {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly from: number;
  readonly to: number;
}

/**
 * One step of a decision, such as a comparison: its text, its result (whether the condition holds), and the
 * reason for the result, such as the value of the point that was compared.
 */
export interface Reason {
  readonly text: string;
  readonly holds: boolean;
  readonly reason: string;
}

/**
 * The outcome of one rule for tags, or of the agent's shard keys, for a point: whether the rule applies to the
 * point, the reason, and the values that it adds to the header X-Global-Tags.
 */
export interface HeaderStep {
  readonly title: string;
  readonly applies: boolean;
  readonly reason: string;
  readonly fields: readonly Reason[];
}

/**
 * An entry of the sink rules, with the properties that the list of targets shows. Each entry stands for one target of
 * writes.
 */
export interface Target {
  /** Index of the entry in the file of sink rules. */
  readonly index: number;
  /** The note of the entry, or the host of its address when the entry has no note. */
  readonly title: string;
  /** The address of the target. Tokens in the address are masked. */
  readonly url: string;
  readonly isDefault: boolean;
  /** How many of the points are sent to this target. */
  readonly points: number;
}

export interface EntryReason {
  /** Index of the entry in the file of sink rules. */
  readonly index: number;
  readonly isTarget: boolean;
  readonly outcome: string;
  readonly conditions: readonly (Reason & { readonly parts: readonly Reason[] })[];
}

/**
 * The route of a point: its header X-Global-Tags, its targets, and all steps that decided about the header and
 * the targets.
 */
export interface Route {
  readonly measurement: string;
  /** The point in line protocol, cut after some hundred characters. */
  readonly text: string;
  /** Value of the header X-Global-Tags; empty for none. */
  readonly header: string;
  /** Indexes of the entries of the sink rules to which the point is sent; empty when the gateway refuses the point. */
  readonly targets: readonly number[];
  readonly steps: readonly HeaderStep[];
  readonly entries: readonly EntryReason[];
}

export interface Routing {
  readonly tagProblems: readonly TextProblem[];
  readonly sinkProblems: readonly TextProblem[];
  readonly pointProblems: readonly TextProblem[];
  /** The targets; empty when the sink rules have an error. */
  readonly targets: readonly Target[];
  /** The routes of the first points; a limit bounds how many are sent to the page. */
  readonly routes: readonly Route[];
  /** Number of all routed points. */
  readonly points: number;
  /** Number of points that the gateway refuses, because they match no entry of the sink rules. */
  readonly refused: number;
}
