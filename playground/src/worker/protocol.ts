// The messages between page and worker. Everything here can be posted between threads.

import type { CategoryName, Diagnostic, Formatted, FunctionDoc, Kind, PlError, Warning } from "../../../lib/index.ts";

/** How the input is cut into points. JSON may be simple JSON or PBJSON, as one array or as consecutive elements. */
export type InputForm = "lines" | "messages" | "lp" | "json";

/** The form in which points are written. */
export type OutputForm = "lp" | "json" | "pbjson";

export interface ScriptText {
  readonly name: string;
  readonly text: string;
}

export interface Job {
  /** The scripts; the first one runs, the others may be called by it. */
  readonly scripts: readonly ScriptText[];
  readonly category: CategoryName;
  readonly form: InputForm;
  /** The input: text, or a file that is read in pieces. */
  readonly input: string | File;
  /** Name (source) of the points made from log lines. */
  readonly source: string;
  /** Regular expression that matches the first line of a multi-line message. */
  readonly messageStart: string;
  /** IANA time zone; empty for the browser's. */
  readonly timeZone: string;
  /** Fixed time in nanoseconds since 1970; null for the running clock. */
  readonly now: bigint | null;
  /** Most steps for a point, 0 for no limit. */
  readonly maxSteps: number;
  /** Milliseconds after which the run ends; 0 for never. */
  readonly budgetMs: number;
  /** Form of a file to which every point is written; null for none. */
  readonly output: OutputForm | null;
}

/** An entry of a point as the page shows it. */
export interface EntryText {
  readonly key: string;
  readonly kind: Kind;
  readonly isTag: boolean;
  /** The value, cut when it is very long. */
  readonly text: string;
  /** Number of characters of the whole value when `text` is cut. */
  readonly length?: number;
}

/** A point at one moment. */
export interface PointText {
  readonly name: string;
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly entries: readonly EntryText[];
}

/** The outcome for a point; `refused` means that the input could not be read as a point. */
export type Outcome = "kept" | "dropped" | "created" | "refused";

export interface PointRecord {
  /** Number of the input point, from 1; a created point has the number of the last point that ran before it. */
  readonly number: number;
  readonly outcome: Outcome;
  readonly category: CategoryName;
  /** Line of the input where the point begins, from 1; 0 when it is unknown or the point comes from many points. */
  readonly line: number;
  readonly before: PointText | null;
  readonly after: PointText | null;
  readonly error: PlError | null;
  /** Why the input was refused, with the text in question. */
  readonly refusal: { readonly reason: string; readonly text: string } | null;
  /** Corrections by the rules of the category. */
  readonly warnings: readonly Warning[];
  /** The point written in each form; empty when the form cannot express it. */
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
  /** Size of the input in bytes; 0 when unknown. */
  readonly totalBytes: number;
}

export type Report =
  | { readonly kind: "records"; readonly records: readonly PointRecord[] }
  | { readonly kind: "progress"; readonly progress: Progress }
  /** The address database is loaded before the run; `bytes` were received so far. */
  | { readonly kind: "loading"; readonly bytes: number };

export type Ending = "done" | "stopped" | "budget";

export interface Summary {
  readonly ending: Ending;
  readonly counts: Counts;
  /** Bytes of input that were read, after decompression. */
  readonly bytes: number;
  readonly decodeMs: number;
  readonly runMs: number;
  /** Why the agent would not accept this body; empty when it would. */
  readonly notice: string;
  /** The data that the run had to do without, and the consequences; empty when nothing was missing. */
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

/** The language's functions and patterns, for the page. */
export interface Language {
  readonly functions: readonly FunctionDoc[];
  readonly patterns: ReadonlyMap<string, string>;
}

export interface WorkerApi {
  language(): Language;
  check(scripts: readonly ScriptText[]): Promise<readonly Diagnostic[]>;
  format(text: string): Formatted;
  /** Returns whether a text is a regular expression. */
  isPattern(text: string): boolean;
  run(job: Job, report: (report: Report) => void): Promise<RunAnswer>;
  /** Ends the run behind the current point. */
  stop(): void;
}
