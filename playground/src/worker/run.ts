// One run of a script over an input of any size. The run decodes the input block by block. It runs the script in
// short time slices, and checks between two slices whether it must stop. It counts all points, and for each
// statement the points that reach it. It sends rows to the page, and writes all points to a file when requested.

import {
  type CategoryName,
  type Coverage,
  type CreatedPoint,
  createCoverage,
  Point,
  type PointView,
  type ProbedStatement,
  type Script,
  type ScriptResult,
} from "../../../lib/index.ts";
import { type ByteSource, byteSource } from "./bytes.ts";
import { type DecodedBatch, decodeInput, type Refusal } from "./decode.ts";
import type { Instance } from "./instance.ts";
import { OutputFile } from "./output-file.ts";
import { corrected, pointForms, pointText } from "./point-text.ts";
import type { Counts, EndReason, Job, PlaceCount, PointRecord, PointText, Report, Summary } from "./protocol.ts";
import { placeIndex, type Row } from "./query.ts";
import { RecordKeeper } from "./record-keeper.ts";

const sliceMs = 20;
const slicePoints = 64;
const reportMs = 100;

export interface Control {
  stopped: boolean;
}

/** An object that receives every point that a run produces. */
export interface PointSink {
  add(category: CategoryName, point: Point): void;
}

/**
 * Runs a job. `statements` are all statements of the scripts, so that the summary also lists statements that no point
 * reaches.
 */
export async function runJob(
  mill: Instance,
  script: Script | null,
  job: Job,
  clock: () => bigint,
  report: (report: Report) => void,
  control: Control,
  statements: readonly ProbedStatement[] = script?.statements ?? [],
  sink: PointSink | null = null,
): Promise<Summary> {
  const source = await byteSource(job.input);
  const run = new JobRun(mill, script, job, source, clock, report, control, statements, sink);
  for await (const batch of decodeInput(mill, source.chunks, { ...job, now: clock })) {
    try {
      await run.take(batch);
    } finally {
      batch.release();
    }
    if (run.endReason !== "done") break;
  }
  return run.summary();
}

/** The result of running the script over one point, with the statements and `grok` calls that the point reached. */
interface Ran {
  readonly result: ScriptResult;
  readonly reached: readonly number[];
  readonly missed: readonly number[];
  readonly unmatched: boolean;
}

class JobRun {
  private readonly mill: Instance;
  private readonly script: Script | null;
  private readonly job: Job;
  private readonly source: ByteSource;
  private readonly clock: () => bigint;
  private readonly report: (report: Report) => void;
  private readonly control: Control;
  private readonly statements: readonly ProbedStatement[];
  private readonly sink: PointSink | null;
  private readonly file: OutputFile | null;
  private readonly coverage: Coverage = createCoverage();
  private readonly keeper: RecordKeeper;
  endReason: EndReason = "done";
  private readonly counts = { points: 0, kept: 0, dropped: 0, created: 0, errors: 0, refused: 0, unmatched: 0 };
  private bytes = 0;
  private decodeMs = 0;
  private runMs = 0;
  private lastReport = performance.now();

  constructor(
    mill: Instance,
    script: Script | null,
    job: Job,
    source: ByteSource,
    clock: () => bigint,
    report: (report: Report) => void,
    control: Control,
    statements: readonly ProbedStatement[],
    sink: PointSink | null,
  ) {
    this.mill = mill;
    this.sink = sink;
    this.statements = statements;
    this.script = script;
    this.job = job;
    this.source = source;
    this.clock = clock;
    this.report = report;
    this.control = control;
    this.file = job.output === null ? null : new OutputFile(mill, job.output);
    let place = -1;
    this.keeper = new RecordKeeper(job.query, () => {
      // The statement or `grok` call that the query filters by gets an index only when the first point reaches it. So
      // the run looks for the index again until the index exists.
      if (place < 0) place = placeIndex(job.query?.place ?? null, this.coverage.places);
      return place;
    });
  }

  async take(batch: DecodedBatch): Promise<void> {
    for (const refusal of batch.refused) this.refuse(refusal);
    let from = 0;
    while (from < batch.length && this.endReason === "done") {
      // The run checks for the user's `stop` before each time slice and not after it. So a run whose last point has
      // been processed can no longer be stopped.
      if (this.counts.points > 0) await this.breathe();
      const { limit } = this.job;
      if (limit > 0 && this.counts.points >= limit) this.endReason = "sample";
      if (this.endReason !== "done") break;
      from = this.slice(batch, from);
      this.addAll(this.script?.takeAggregated(this.clock()) ?? [], 0);
    }
    if (batch.length === 0) await this.breathe();
    // A run with a limited number of points may take only a part of its last batch. The same part of the batch's
    // bytes and of its decoding time is then counted.
    const share = batch.length === 0 ? 1 : from / batch.length;
    this.bytes += Math.round(share * batch.bytes);
    this.decodeMs += share * batch.ms;
  }

  /**
   * Returns the summary of the run. Must be called only once, at the end of the run, because it also ends the
   * aggregations of the script. The points that these aggregations have collected are added to the results.
   */
  summary(): Summary {
    this.addAll(this.script?.close(this.clock()) ?? [], 0);
    this.send(this.keeper.take());
    this.send(this.keeper.end());
    return {
      endReason: this.endReason,
      counts: { ...this.counts },
      bytes: this.bytes,
      readBytes: this.source.read(),
      totalBytes: this.source.total,
      decodeMs: this.decodeMs,
      runMs: this.runMs,
      notice: "",
      missing: "",
      output: this.file?.blob() ?? null,
      places: placesOf(this.coverage, this.statements),
      found: this.keeper.found,
    };
  }

  /**
   * Runs the script over the points, beginning with index `from`, until the time slice ends. Returns the index of
   * the first point that was not processed.
   */
  private slice(batch: DecodedBatch, from: number): number {
    const { limit } = this.job;
    const most = limit > 0 ? Math.min(slicePoints, limit - this.counts.points) : slicePoints;
    const end = Math.min(batch.length, from + most);
    const before: PointText[] = [];
    if (this.keeper.needsInput) for (let at = from; at < end; at++) before.push(pointText(batch.at(at)));
    const all: Ran[] = [];
    const began = performance.now();
    for (let at = from; at < end; at++) {
      all.push(this.runPoint(batch.at(at)));
      if (performance.now() - began > sliceMs) break;
    }
    this.runMs += performance.now() - began;
    all.forEach((ran, offset) => {
      const at = from + offset;
      this.counts.points++;
      this.count(ran);
      const line = batch.line(at);
      this.keep(batch.at(at), line, before[offset] ?? null, ran);
      const { category } = this.job;
      this.addAll(
        ran.result.window.map((point) => ({ category, point })),
        line,
      );
      this.addAll(ran.result.created, line);
    });
    return from + all.length;
  }

  private runPoint(point: PointView): Ran {
    const { script, job, coverage } = this;
    if (script === null) return passed;
    const { category, maxSteps } = job;
    const result = this.mill.run(script, point, { category, maxSteps, probe: coverage });
    const { reached, missed, hasMatch } = coverage;
    return { result, reached, missed, unmatched: missed.length > 0 && !hasMatch };
  }

  private count({ result: { dropped, error }, unmatched }: Ran): void {
    if (error !== null) this.counts.errors++;
    else if (dropped) this.counts.dropped++;
    else this.counts.kept++;
    if (unmatched) this.counts.unmatched++;
  }

  private keep(view: PointView, line: number, before: PointText | null, ran: Ran): void {
    const { reached, missed, unmatched } = ran;
    const { error, dropped } = ran.result;
    const shows = this.keeper.needs(error !== null, unmatched);
    if (!shows && this.file === null && this.sink === null) return;
    const { category } = this.job;
    const point = corrected(Point.copyOf(view), category);
    if (!dropped) {
      this.file?.add(point);
      this.sink?.add(category, point);
    }
    if (!shows) return;
    const number = this.counts.points;
    const outcome = dropped ? "dropped" : "kept";
    const after = pointText(point);
    this.add(
      { number, outcome, category, line, before, after, error, refusal: null, reached, missed, unmatched },
      point,
    );
  }

  /**
   * Adds points to the results that are not input points: points that the script created, points that it
   * aggregated from other points, and points that it first dropped and later released with its functions
   * `point_window` and `window_hit`.
   */
  private addAll(made: readonly CreatedPoint[], line: number): void {
    for (const each of made) this.addMade(each, line);
  }

  private addMade({ category, point, dropped = false }: CreatedPoint, line: number): void {
    this.counts.created++;
    const shows = this.keeper.needs(false, false);
    if (!shows && this.file === null && this.sink === null) return;
    corrected(point, category);
    if (!dropped && category === this.job.category) this.file?.add(point);
    if (!dropped) this.sink?.add(category, point);
    if (!shows) return;
    const outcome = dropped ? "dropped" : "created";
    const row = { ...noPlaces, number: this.counts.points, outcome, category, line } as const;
    this.add({ ...row, before: null, after: pointText(point), error: null, refusal: null }, point);
  }

  private refuse({ reason, text, line }: Refusal): void {
    this.counts.refused++;
    if (!this.keeper.needs(true, false)) return;
    const refusal = { reason, text: text.slice(0, 2000) };
    const row = { ...noPlaces, number: 0, outcome: "refused", category: this.job.category, line } as const;
    this.add({ ...row, before: null, after: null, error: null, refusal }, null);
  }

  private add(row: Row, point: Point | null): void {
    this.keeper.add(row, () =>
      point === null
        ? { forms: null, warnings: [] }
        : { forms: pointForms(this.mill, point), warnings: [...point.warnings] },
    );
  }

  /** Reports the progress to the page, and pauses so that the worker can receive a `stop` message. */
  private async breathe(): Promise<void> {
    const now = performance.now();
    if (now - this.lastReport > reportMs) {
      this.lastReport = now;
      this.send(this.keeper.take());
      const counts: Counts = { ...this.counts };
      this.report({
        kind: "progress",
        progress: { counts, bytes: this.source.read(), totalBytes: this.source.total },
      });
    }
    await nextTask();
    if (this.control.stopped) this.endReason = "stopped";
    else if (this.job.budgetMs > 0 && this.decodeMs + this.runMs > this.job.budgetMs) this.endReason = "budget";
  }

  private send(records: readonly PointRecord[]): void {
    if (records.length === 0) return;
    const places = placesOf(this.coverage, this.statements);
    this.report({ kind: "records", records, places, points: this.counts.points });
  }
}

/** Largest number of characters of a statement's text that are sent to the page. */
const longestPlaceText = 100;

const noPlaces = { reached: [], missed: [], unmatched: false } as const;
const passed: Ran = { result: { error: null, dropped: false, created: [], window: [] }, ...noPlaces };

/**
 * Returns the statements and `grok` calls that points reached, in the order of their indexes, and then the statements
 * that no point reached.
 */
function placesOf({ places }: Coverage, statements: readonly ProbedStatement[]): PlaceCount[] {
  const sources = new Map(statements.map(({ source }) => [source.file, source]));
  const where = (script: string, at: number) => {
    const source = sources.get(script);
    if (source === undefined) return { ln: 0, text: "" };
    const [text = ""] = source.text.slice(at, at + longestPlaceText).split("\n");
    return { ln: source.position(at).ln, text };
  };
  const reached = new Set(places.filter(({ kind }) => kind !== "grok").map(({ script, at }) => `${at} ${script}`));
  return [
    ...places.map(({ script, at, kind, points, matched, branches }) => ({
      ...{ script, at, kind, points, matched, branches: [...branches], ...where(script, at) },
    })),
    ...statements
      .filter(({ source, at }) => !reached.has(`${at} ${source.file}`))
      .map(({ source: { file: script }, at, kind }) => ({
        ...{ script, at, kind, points: 0, matched: 0, branches: [], ...where(script, at) },
      })),
  ];
}

const { port1, port2 } = new MessageChannel();
let wake: () => void = () => {};
port1.onmessage = () => wake();

/**
 * Waits until the event loop has handled the waiting messages. A wait with a timer would take longer, because timers
 * have a minimum delay.
 */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve;
    port2.postMessage(null);
  });
}
