// One run of a script over an input of any size. The run decodes the input block by block and runs the script in short
// time slices, checking between slices whether it shall stop. It sends the first points to the page, counts all points,
// and writes them to a file when requested.

import {
  type CreatedPoint,
  type Millrace,
  Point,
  type PointView,
  type Script,
  type ScriptResult,
} from "../../../lib/index.ts";
import { type ByteSource, byteSource } from "./bytes.ts";
import { type DecodedBatch, decodeInput, type Refusal } from "./decode.ts";
import { corrected, pointForms, pointText } from "./point-text.ts";
import type { Counts, EndReason, Job, OutputForm, PointRecord, PointText, Report, Summary } from "./protocol.ts";

/** Number of points that the page receives with all tags and fields. */
export const shownPoints = 1000;
/** Number of points with errors that the page receives in full in addition to the first `shownPoints` points. */
const shownErrors = 200;
/** Largest number of characters of all points that are sent to the page. */
const shownLength = 16 * 1024 * 1024;
const sliceMs = 20;
const slicePoints = 64;
const reportMs = 100;

export interface Control {
  stopped: boolean;
}

export async function runJob(
  mill: Millrace,
  script: Script | null,
  job: Job,
  clock: () => bigint,
  report: (report: Report) => void,
  control: Control,
): Promise<Summary> {
  const source = await byteSource(job.input);
  const run = new JobRun(mill, script, job, source, clock, report, control);
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

class JobRun {
  private readonly mill: Millrace;
  private readonly script: Script | null;
  private readonly job: Job;
  private readonly source: ByteSource;
  private readonly clock: () => bigint;
  private readonly report: (report: Report) => void;
  private readonly control: Control;
  private readonly file: OutputFile | null;
  endReason: EndReason = "done";
  private readonly counts = { points: 0, kept: 0, dropped: 0, created: 0, errors: 0, refused: 0 };
  private bytes = 0;
  private decodeMs = 0;
  private runMs = 0;
  private records: PointRecord[] = [];
  private recorded = 0;
  private recordedErrors = 0;
  private recordedLength = 0;
  private lastReport = performance.now();

  constructor(
    mill: Millrace,
    script: Script | null,
    job: Job,
    source: ByteSource,
    clock: () => bigint,
    report: (report: Report) => void,
    control: Control,
  ) {
    this.mill = mill;
    this.script = script;
    this.job = job;
    this.source = source;
    this.clock = clock;
    this.report = report;
    this.control = control;
    this.file = job.output === null ? null : new OutputFile(mill, job.output);
  }

  async take(batch: DecodedBatch): Promise<void> {
    this.bytes += batch.bytes;
    this.decodeMs += batch.ms;
    for (const refusal of batch.refused) this.refuse(refusal);
    for (let from = 0; from < batch.length && this.endReason === "done"; ) {
      // The run pauses before a time slice and not after it. Thus a run can no longer be stopped once its last point
      // has been processed.
      if (this.counts.points > 0) await this.breathe();
      if (this.endReason !== "done") break;
      from = this.slice(batch, from);
      this.addAll(this.script?.takeAggregated(this.clock()) ?? [], 0);
    }
    if (batch.length === 0) await this.breathe();
  }

  /** Returns the summary of the run. Call it once, at the end: it takes the points that aggregations still hold. */
  summary(): Summary {
    this.addAll(this.script?.close(this.clock()) ?? [], 0);
    this.flush();
    return {
      endReason: this.endReason,
      counts: { ...this.counts },
      bytes: this.bytes,
      decodeMs: this.decodeMs,
      runMs: this.runMs,
      notice: "",
      missing: "",
      output: this.file?.blob() ?? null,
    };
  }

  /** Runs the script over the points from `from` on until the time slice ends. Returns the index to continue at. */
  private slice(batch: DecodedBatch, from: number): number {
    const end = Math.min(batch.length, from + slicePoints);
    const before: PointText[] = [];
    if (this.hasRoom()) for (let at = from; at < end; at++) before.push(pointText(batch.at(at)));
    const results: ScriptResult[] = [];
    const began = performance.now();
    for (let at = from; at < end; at++) {
      results.push(this.runPoint(batch.at(at)));
      if (performance.now() - began > sliceMs) break;
    }
    this.runMs += performance.now() - began;
    results.forEach((result, offset) => {
      const at = from + offset;
      this.counts.points++;
      this.count(result);
      const line = batch.line(at);
      this.keep(batch.at(at), line, before[offset] ?? null, result);
      const { category } = this.job;
      this.addAll(
        result.window.map((point) => ({ category, point })),
        line,
      );
      this.addAll(result.created, line);
    });
    return from + results.length;
  }

  private runPoint(point: PointView): ScriptResult {
    const { script, job } = this;
    if (script === null) return passed;
    return this.mill.run(script, point, { category: job.category, maxSteps: job.maxSteps });
  }

  private count({ dropped, error }: ScriptResult): void {
    if (dropped) this.counts.dropped++;
    else this.counts.kept++;
    if (error !== null) this.counts.errors++;
  }

  private hasRoom(): boolean {
    return this.recorded < shownPoints && this.recordedLength < shownLength;
  }

  private keep(view: PointView, line: number, before: PointText | null, result: ScriptResult): void {
    const { error, dropped } = result;
    const shows =
      this.hasRoom() || (error !== null && this.recordedErrors < shownErrors && this.recordedLength < shownLength);
    if (!shows && this.file === null) return;
    const { category } = this.job;
    const point = corrected(Point.copyOf(view), category);
    if (!dropped) this.file?.add(point);
    if (!shows) return;
    this.record({
      number: this.counts.points,
      outcome: dropped ? "dropped" : "kept",
      category,
      line,
      before,
      after: pointText(point),
      error,
      refusal: null,
      warnings: [...point.warnings],
      forms: pointForms(this.mill, point),
    });
  }

  /**
   * Adds points to the results of the run: points that the script created, dropped points that the script brought back
   * (functions `point_window` and `window_hit`), and points of its aggregations.
   */
  private addAll(made: readonly CreatedPoint[], line: number): void {
    for (const each of made) this.add(each, line);
  }

  private add({ category, point, dropped = false }: CreatedPoint, line: number): void {
    this.counts.created++;
    const shows = this.hasRoom();
    if (!shows && this.file === null) return;
    corrected(point, category);
    if (!dropped && category === this.job.category) this.file?.add(point);
    if (!shows) return;
    this.record({
      number: this.counts.points,
      outcome: dropped ? "dropped" : "created",
      category,
      line,
      before: null,
      after: pointText(point),
      error: null,
      refusal: null,
      warnings: [...point.warnings],
      forms: pointForms(this.mill, point),
    });
  }

  private refuse({ reason, text, line }: Refusal): void {
    this.counts.refused++;
    if (!this.hasRoom() && this.recordedErrors >= shownErrors) return;
    this.record({
      number: 0,
      outcome: "refused",
      category: this.job.category,
      line,
      before: null,
      after: null,
      error: null,
      refusal: { reason, text: text.slice(0, 2000) },
      warnings: [],
      forms: null,
    });
  }

  private record(record: PointRecord): void {
    this.recorded++;
    if (record.error !== null || record.refusal !== null) this.recordedErrors++;
    const { forms, refusal } = record;
    this.recordedLength += forms === null ? (refusal?.text.length ?? 0) : forms.pbjson.length * 3;
    this.records.push(record);
  }

  /** Reports the progress to the page, and pauses so that a `stop` message can arrive. */
  private async breathe(): Promise<void> {
    const now = performance.now();
    if (now - this.lastReport > reportMs) {
      this.lastReport = now;
      this.flush();
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

  private flush(): void {
    if (this.records.length === 0) return;
    this.report({ kind: "records", records: this.records });
    this.records = [];
  }
}

const passed: ScriptResult = { error: null, dropped: false, created: [], window: [] };

/** Collects points as bytes in Blobs, which the browser stores outside of the JavaScript heap. */
class OutputFile {
  private readonly mill: Millrace;
  private readonly form: OutputForm;
  private readonly parts: BlobPart[] = [];
  private waiting: Point[] = [];
  private empty = true;

  constructor(mill: Millrace, form: OutputForm) {
    this.mill = mill;
    this.form = form;
  }

  add(point: Point): void {
    this.waiting.push(point);
    if (this.waiting.length >= 2000) this.write();
  }

  blob(): Blob {
    this.write();
    if (this.form === "lp") return new Blob(this.parts, { type: "text/plain" });
    return new Blob(this.empty ? ["[]"] : ["[", ...this.parts, "]\n"], { type: "application/json" });
  }

  private write(): void {
    if (this.waiting.length === 0) return;
    const bytes = this.mill.encodePoints(this.waiting, this.form) as Uint8Array<ArrayBuffer>;
    this.waiting = [];
    if (bytes.length === 0) return;
    if (this.form === "lp") this.parts.push(new Blob([bytes, "\n"]));
    else this.parts.push(new Blob([this.empty ? "" : ",\n", bytes.subarray(1, -1)]));
    this.empty = false;
  }
}

const { port1, port2 } = new MessageChannel();
let wake: () => void = () => {};
port1.onmessage = () => wake();

/** Waits for the next turn of the event loop, without the minimum delay of a timer. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    wake = resolve;
    port2.postMessage(null);
  });
}
