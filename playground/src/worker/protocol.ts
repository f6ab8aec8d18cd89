// What page and worker say to each other. Everything here can be posted between threads.

import type { CategoryName, Diagnostic, Formatted, FunctionDoc, Kind, PlError, Warning } from "../../../lib/index.ts";

/** How the input is cut into points. JSON may be simple JSON or PBJSON, in one array or element after element. */
export type InputForm = "lines" | "messages" | "lp" | "json";

/** How points are written. */
export type OutputForm = "lp" | "json" | "pbjson";

export interface ScriptText {
  readonly name: string;
  readonly text: string;
}

export interface Job {
  /** The first one runs, the others may be called by it. */
  readonly scripts: readonly ScriptText[];
  readonly category: CategoryName;
  readonly form: InputForm;
  /** Text, or a file that is read in pieces. */
  readonly input: string | File;
  /** Name of the points made of log lines. */
  readonly source: string;
  /** Regular expression that the first line of a multi-line message matches. */
  readonly messageStart: string;
  /** IANA zone; empty for the browser's. */
  readonly timeZone: string;
  /** Nanoseconds since 1970 that stand still; null for the running clock. */
  readonly now: bigint | null;
  /** Steps per point, 0 for no limit. */
  readonly maxSteps: number;
  /** Milliseconds after which the run ends by itself; 0 for never. */
  readonly budgetMs: number;
  /** Writes every point to a file of this form. */
  readonly output: OutputForm | null;
}

/** An entry of a point as it is shown. */
export interface EntryText {
  readonly key: string;
  readonly kind: Kind;
  readonly isTag: boolean;
  /** The value, cut when it is very long. */
  readonly text: string;
  /** Characters of the whole value when `text` is cut. */
  readonly length?: number;
}

/** A point at one moment. */
export interface PointText {
  readonly name: string;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly entries: readonly EntryText[];
}

/** `refused`: the input could not be read as a point. */
export type Outcome = "kept" | "dropped" | "created" | "refused";

export interface PointRecord {
  /** Number of the input point, from 1; a created point has that of the last point that had run. */
  readonly number: number;
  readonly outcome: Outcome;
  readonly category: CategoryName;
  /** Line of the input where it begins, from 1; 0 when unknown, or when it came from many points. */
  readonly line: number;
  readonly before: PointText | null;
  readonly after: PointText | null;
  readonly error: PlError | null;
  /** Why the input was refused, with the text in question. */
  readonly refusal: { readonly reason: string; readonly text: string } | null;
  /** Corrections to the constraints of the category. */
  readonly warnings: readonly Warning[];
  /** The point written in each form; empty when the form cannot say it. */
  readonly forms: Readonly<Record<OutputForm, string>> | null;
}

export interface Counts {
  readonly points: number;
  readonly kept: number;
  readonly dropped: number;
  readonly created: number;
  readonly errors: number;
  readonly refused: number;
}

export interface Progress {
  readonly counts: Counts;
  readonly bytes: number;
  /** 0 when unknown. */
  readonly totalBytes: number;
}

export type Report =
  | { readonly kind: "records"; readonly records: readonly PointRecord[] }
  | { readonly kind: "progress"; readonly progress: Progress }
  /** The database of addresses comes in before the run; bytes so far. */
  | { readonly kind: "loading"; readonly bytes: number };

export type Ending = "done" | "stopped" | "budget";

export interface Summary {
  readonly ending: Ending;
  readonly counts: Counts;
  /** Bytes of input that were read, after decompression. */
  readonly bytes: number;
  readonly decodeMs: number;
  readonly runMs: number;
  /** What would hinder the agent in taking this body; empty when nothing. */
  readonly notice: string;
  /** What the run had to do without, and what came of it; empty when nothing. */
  readonly missing: string;
  readonly output: Blob | null;
}

export type RunAnswer =
  | { readonly kind: "ran"; readonly summary: Summary }
  | { readonly kind: "script-errors"; readonly notes: readonly Diagnostic[] }
  /** The input could not be read at all. */
  | { readonly kind: "input-error"; readonly message: string };

/** A place in a script or in the input; lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly ln: number;
  readonly col: number;
}

/** What the page knows of the language. */
export interface Language {
  readonly functions: readonly FunctionDoc[];
  readonly patterns: ReadonlyMap<string, string>;
}

export interface WorkerApi {
  language(): Language;
  check(scripts: readonly ScriptText[]): Promise<readonly Diagnostic[]>;
  format(text: string): Formatted;
  /** Whether a text is a regular expression. */
  isPattern(text: string): boolean;
  run(job: Job, report: (report: Report) => void): Promise<RunAnswer>;
  /** Ends the run behind the point it is at. */
  stop(): void;
}
