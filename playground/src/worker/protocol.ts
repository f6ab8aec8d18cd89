// The messages between page and worker. All types in this file can be posted between threads.

import type {
  CategoryName,
  CoveredPlace,
  Diagnostic,
  Formatted,
  FunctionDoc,
  Kind,
  PlError,
  Warning,
} from "../../../lib/index.ts";
import type { Benchmark, BenchmarkJob } from "./bench/benchmark.ts";
import type { Conversion, ConversionJob } from "./convert/conversion.ts";
import type { Query } from "./query.ts";
import type {
  FilterEdit,
  HeldKey,
  HeldSource,
  Holding,
  NoPoints,
  QueryAnswer,
  QueryFault,
  QueryItems,
  QueryJob,
  QueryWord,
  Survey,
} from "./query-run/asking.ts";
import type { CountJob, ExploreChoice, KeyCount, KeyValues } from "./query-run/exploring.ts";
import type { ReadFile, TableFile } from "./refer-tables/table-files.ts";
import type { Routing, RoutingJob } from "./sharding/routing.ts";
import type { StepsAnswer } from "./steps/steps.ts";
import type { KeptPoint, TestAnswer, TestEdit, TestJob } from "./tests/test-job.ts";

/**
 * The input formats, which determine how the input is split into points. JSON may be simple JSON or PBJSON (the JSON
 * form of the protobuf message of points), as one array or as consecutive elements.
 */
export type InputForm = "lines" | "messages" | "lp" | "json";

/** The formats in which points can be written. */
export type OutputForm = "lp" | "json" | "pbjson";

export interface ScriptText {
  readonly name: string;
  readonly text: string;
}

export interface Job {
  /** The scripts of the job. The first script runs; it may call the others. */
  readonly scripts: readonly ScriptText[];
  /** The reference tables in which the scripts look rows up. */
  readonly tables: readonly TableFile[];
  readonly category: CategoryName;
  readonly form: InputForm;
  /** The input: a text, or a file that is read in chunks. */
  readonly input: string | File;
  /** Name (source) of the points that are made from log lines. */
  readonly source: string;
  /** Regular expression that matches the first line of a multi-line message. */
  readonly messageStart: string;
  /** IANA name of the time zone; empty for the zone of the browser. */
  readonly timeZone: string;
  /** A fixed current time in nanoseconds since 1970; null for the real time. */
  readonly now: bigint | null;
  /** Largest number of script steps (executed statements and loop iterations) for a point; 0 for no limit. */
  readonly maxSteps: number;
  /** Time in milliseconds after which the run ends; 0 for no limit. */
  readonly budgetMs: number;
  /** Number of points after which the run ends, when the run reads only a sample of the input; 0 for no limit. */
  readonly limit: number;
  /** The query that selects and sorts the rows for the page. Null for no query: the page then gets the first rows. */
  readonly query: Query | null;
  /** Format of a file to which every resulting point is written; null for no file. */
  readonly output: OutputForm | null;
}

/** A tag or a field of a point, as the page shows it. */
export interface EntryText {
  readonly key: string;
  readonly kind: Kind;
  readonly isTag: boolean;
  /** The value as text, shortened when it is very long. */
  readonly text: string;
  /** Number of characters of the whole value when `text` is shortened. */
  readonly length?: number;
}

/** A point as plain strings and numbers, before or after the script. */
export interface PointText {
  readonly name: string;
  /** Time of the point in nanoseconds since 1970. */
  readonly time: bigint;
  readonly entries: readonly EntryText[];
}

/** The outcome of a point in a run. `refused`: the input could not be read as a point. */
export type Outcome = "kept" | "dropped" | "created" | "refused";

export interface PointRecord {
  /**
   * Number of the input point, from 1. For a point that the script created: the number of the last input point before
   * it.
   */
  readonly number: number;
  readonly outcome: Outcome;
  readonly category: CategoryName;
  /**
   * Number, from 1, of the input line in which the point begins. It is 0 when the line is unknown, and for a point that
   * was aggregated from many points.
   */
  readonly line: number;
  readonly before: PointText | null;
  readonly after: PointText | null;
  readonly error: PlError | null;
  /** Indexes, in `Summary.places`, of the statements and `grok` calls that the point reached. */
  readonly reached: readonly number[];
  /** Indexes, in `Summary.places`, of the `grok` calls that did not match the point. */
  readonly missed: readonly number[];
  /** Whether the script called `grok` for the point, and no call matched. */
  readonly unmatched: boolean;
  /** The reason why the input was refused, with the part of the input that caused it. */
  readonly refusal: { readonly reason: string; readonly text: string } | null;
  /**
   * The corrections that were made to the point, because the rules of its category (such as metrics or logs) required
   * them.
   */
  readonly warnings: readonly Warning[];
  /** The point written in each output format; empty when the format cannot express the point. */
  readonly forms: Readonly<Record<OutputForm, string>> | null;
}

/**
 * Numbers of rows of the result, by outcome. A row with an error counts only as an error, and not as kept or dropped as
 * well.
 */
export interface Counts {
  readonly points: number;
  readonly kept: number;
  readonly dropped: number;
  readonly created: number;
  readonly errors: number;
  readonly refused: number;
  /**
   * Number of points for which `grok` was called and no call matched; these points are also counted as kept, dropped or
   * error.
   */
  readonly unmatched: number;
}

/** A statement or a call of `grok`, with the number of points that reached it. */
export interface PlaceCount extends CoveredPlace {
  /** Number of the line where the statement or `grok` call begins, from 1; 0 when unknown. */
  readonly ln: number;
  /** The first line of the text of the statement or `grok` call, shortened. */
  readonly text: string;
}

export interface Progress {
  readonly counts: Counts;
  readonly bytes: number;
  /** Size of the input in bytes; 0 when unknown. */
  readonly totalBytes: number;
}

export type Report =
  /**
   * Further rows of the result. `places` lists the same statements and `grok` calls as the summary at the end of the
   * run, but it counts only the first `points` points of the run.
   */
  | {
      readonly kind: "records";
      readonly records: readonly PointRecord[];
      readonly places: readonly PlaceCount[];
      readonly points: number;
    }
  | { readonly kind: "progress"; readonly progress: Progress }
  /**
   * Report while the worker loads the country database for the script function `geoip`, before the run; `bytes` is the
   * number of bytes received so far.
   */
  | { readonly kind: "loading"; readonly bytes: number };

/**
 * The reason why a run ended. `done`: the whole input was read. `stopped`: the user stopped the run. `budget`: its time
 * limit passed. `sample`: it reached its limit of points, and the input has more points.
 */
export type EndReason = "done" | "stopped" | "budget" | "sample";

export interface Summary {
  readonly endReason: EndReason;
  readonly counts: Counts;
  /** Number of input bytes that were read, counted after decompression. */
  readonly bytes: number;
  /** Number of input bytes that were read, counted before decompression. The whole input has `totalBytes`. */
  readonly readBytes: number;
  readonly totalBytes: number;
  readonly decodeMs: number;
  readonly runMs: number;
  /** The reason why an agent would refuse this input; empty when an agent would accept it. */
  readonly notice: string;
  /**
   * A text that names the data that the run lacked (such as the country database for the script function `geoip`) and
   * the consequences; empty when no data was missing.
   */
  readonly missing: string;
  readonly output: Blob | null;
  /**
   * All statements of the scripts, and in addition each call of `grok` that at least one point reached. The rows refer
   * to these places by their index in this list.
   */
  readonly places: readonly PlaceCount[];
  /** Number of rows that the query of the job finds; 0 without a query. */
  readonly found: number;
}

export type RunAnswer =
  | { readonly kind: "ran"; readonly summary: Summary }
  | { readonly kind: "script-errors"; readonly notes: readonly Diagnostic[] }
  /** The answer for a job whose input could not be read at all, for example because it is not valid gzip. */
  | { readonly kind: "input-error"; readonly message: string };

/** A position in a script or in the input. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly ln: number;
  readonly col: number;
}

/** The functions and grok patterns of the script language, for completion and help on the page. */
export interface Language {
  readonly functions: readonly FunctionDoc[];
  readonly patterns: ReadonlyMap<string, string>;
}

export interface WorkerApi {
  language(): Language;
  /** Converts a body of points to every wire form (line protocol, JSON, PBJSON, protobuf). */
  convert(job: ConversionJob): Promise<Conversion>;
  /**
   * Computes, by the sharding rules of the job, the header X-Global-Tags of each point and the targets to which the
   * point is sent.
   */
  route(job: RoutingJob): Promise<Routing>;
  /** Runs a job, and keeps its points for queries. The points that were kept before are dropped. */
  holdPoints(job: Job): Promise<Holding | NoPoints>;
  /**
   * Lets queries read the points of the platform (the server that stores points). The server of the page passes the
   * queries on to the platform.
   */
  openPlatform(): Promise<Holding | NoPoints>;
  /** Answers a query over the points that the worker holds, or over the points of the platform. */
  ask(job: QueryJob): Promise<QueryAnswer>;
  /** Returns the whole answer to a query as CSV. */
  askCsv(job: QueryJob): Promise<string | QueryFault>;
  /**
   * Counts the points that a query returns, over time and by each of `keys`. Splits the counts over time by the key
   * `group`, unless `group` is empty. Returns null for a query that does not return points themselves (it groups or
   * computes), and when another query arrives before the counts are complete.
   */
  survey(work: { job: QueryJob; keys: readonly string[]; group: string }): Promise<Survey | null>;
  /** Changes the time range in the text of a query. Returns null when the text has no time range. */
  editRange(text: string, range: { from: number; to: number }): Promise<string | null>;
  /**
   * Adds a condition to a query. Returns null when the condition cannot be added, for example because the query has an
   * error.
   */
  editFilter(edit: FilterEdit): Promise<string | null>;
  /** Returns the completions for the end of a text. The text is the part of a query before the cursor. */
  queryItems(before: string): Promise<QueryItems>;
  /** Returns the functions and namespaces of the query language. */
  queryWords(): Promise<readonly QueryWord[]>;
  /** Returns the DQL query for the points or the chart that the user chose in the explore mode. */
  exploreQuery(choice: ExploreChoice): Promise<string>;
  /**
   * Counts the points of each measurement; a number is null when it is unknown. Returns null when the page calls the
   * function again before the counts are complete.
   */
  countSources(work: { sources: readonly HeldSource[]; job: CountJob }): Promise<readonly (number | null)[] | null>;
  /**
   * Returns the keys of a measurement with the number of points that have them. Returns null when the page calls the
   * function again before the numbers are complete.
   */
  countKeys(work: { source: HeldSource; job: CountJob }): Promise<readonly KeyCount[] | null>;
  /** Finds the most frequent values of a key. Returns null for an error. */
  keyValues(work: {
    choice: Omit<ExploreChoice, "drawn">;
    key: string;
    keys: readonly HeldKey[];
    search: string;
    job: CountJob;
  }): Promise<KeyValues | null>;
  check(scripts: readonly ScriptText[], tables: readonly TableFile[]): Promise<readonly Diagnostic[]>;
  /** Reads files of reference tables. Returns the tables and errors of each file. */
  readTables(files: readonly TableFile[]): Promise<readonly ReadFile[]>;
  format(text: string): Promise<Formatted>;
  /** Returns whether a text is a valid regular expression. */
  isPattern(text: string): boolean;
  runTests(job: TestJob): Promise<TestAnswer>;
  addTest(job: TestJob, kept: KeptPoint): Promise<TestEdit>;
  acceptTest(job: TestJob, index: number): Promise<TestEdit>;
  removeTest(job: TestJob, index: number): Promise<TestEdit>;
  /**
   * Returns the steps (executed statements) of the point with the given number, from 1, or the reason why there are
   * none.
   */
  steps(job: Job, number: number): Promise<StepsAnswer | string>;
  /** Measures how long scripts run for a point. Returns the times, or the reason why the scripts cannot be measured. */
  measure(job: BenchmarkJob): Promise<Benchmark | string>;
  /** Resolves when the worker is loaded and has made a Millrace instance with the given settings. */
  ready(timeZone: string, now: bigint | null): Promise<void>;
  run(job: Job, report: (report: Report) => void): Promise<RunAnswer>;
  /** Ends the current run after the point that is being processed. */
  stop(): void;
}
