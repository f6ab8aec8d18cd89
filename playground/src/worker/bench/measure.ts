// Measures the speed of scripts over a sample of the input. Two sets of scripts run alternately, so that other
// programs on the machine slow down both sets equally. The clock of a page is coarse, so each round of the
// measurement runs a script over the sample several times and takes some milliseconds.

import { createProfile, Point, type Script, type StatementTime } from "../../../../lib/index.ts";
import { t } from "../../text/translate.ts";
import { byteSource } from "../bytes.ts";
import { decodeInput } from "../decode.ts";
import type { Instance } from "../instance.ts";
import type { Job, ScriptText } from "../protocol.ts";
import type { Benchmark, BenchmarkJob, StatementShare, Times } from "./benchmark.ts";

const samplePoints = 1000;
/** Smallest duration of a round in milliseconds, because the clock of a page advances in steps of 0.1 ms. */
const roundMs = 8;
/** A script runs for this many milliseconds before it is measured, so that the JavaScript engine has compiled it. */
const warmMs = 100;
/**
 * Largest number of points in a round of the measurement. All these points are copied before the round, so this
 * limit also limits the memory.
 */
const mostCopies = 10_000;
const fewestRounds = 3;
const histogramParts = 40;
/** Time for measuring the single statements, as a fraction of the time for which a set of scripts is measured. */
const profileShare = 0.3;
const mostStatements = 200;

/** Returns the measured times, or the reason why the scripts or the input cannot be measured. */
export async function measure(
  mill: Instance,
  { job, other, ms }: BenchmarkJob,
  clock: () => bigint,
): Promise<Benchmark | string> {
  const points = await sampleOf(mill, job, clock);
  if (points.length === 0) return t("There are no points to measure.");
  const first = subject(mill, job, job.scripts, clock);
  const second = other === null ? null : subject(mill, job, other, clock);
  try {
    if (first === null || (other !== null && second === null))
      return t("A script has an error, so it cannot be measured.");
    const subjects = second === null ? [first] : [first, second];
    const times = await inTurns(subjects, points, ms);
    const parts = partsOf(times.flat());
    return {
      points: points.length,
      times: summaryOf(times[0]!, parts),
      other: second === null ? null : summaryOf(times[1]!, parts),
      parts,
      statements: statementShares(mill, job, points, ms * profileShare),
    };
  } finally {
    first?.free();
    second?.free();
  }
}

async function sampleOf(mill: Instance, job: Job, clock: () => bigint): Promise<Point[]> {
  const points: Point[] = [];
  const source = await byteSource(job.input);
  for await (const batch of decodeInput(mill, source.chunks, { ...job, now: clock })) {
    for (let at = 0; at < batch.length && points.length < samplePoints; at++) points.push(Point.copyOf(batch.at(at)));
    batch.release();
    if (points.length >= samplePoints) break;
  }
  return points;
}

/** A set of scripts whose speed is measured. */
interface Subject {
  /** Runs the first script of the set over the points. The script changes the points. */
  run(points: readonly Point[]): void;
  free(): void;
}

function compiled(mill: Instance, scripts: readonly ScriptText[], probes: boolean) {
  const written = scripts.filter(({ text }) => text.trim() !== "");
  const set = mill.compile(Object.fromEntries(written.map(({ name, text }) => [name, text])), { probes });
  const script = set.scripts.get(scripts[0]?.name ?? "");
  if (script !== undefined && !script.waits) return { script, free: () => set.free() };
  set.free();
  return null;
}

function subject(mill: Instance, job: Job, scripts: readonly ScriptText[], clock: () => bigint): Subject | null {
  const { category, maxSteps } = job;
  const made = compiled(mill, scripts, false);
  if (made === null) return null;
  const options = { category, maxSteps };
  return {
    run: (points) => runOver(mill, made.script, points, options, clock),
    free: made.free,
  };
}

function runOver(
  mill: Instance,
  script: Script,
  points: readonly Point[],
  options: Parameters<Instance["run"]>[2],
  clock: () => bigint,
): void {
  for (const point of points) mill.run(script, point, options);
  script.takeAggregated(clock());
}

/**
 * Measures the subjects (sets of scripts) alternately. Returns, for each subject, the time of each round in nanoseconds
 * per point.
 */
async function inTurns(subjects: readonly Subject[], points: readonly Point[], ms: number): Promise<number[][]> {
  const times: number[][] = subjects.map(() => []);
  for (const each of subjects) {
    const warm = performance.now() + Math.min(ms, warmMs);
    do timeOf(each, points, 1);
    while (performance.now() < warm);
  }
  const repeats = subjects.map((each) => repeatsOf(each, points));
  const end = performance.now() + ms * subjects.length;
  for (let round = 0; round < fewestRounds || performance.now() < end; round++) {
    // The order of the two sets of scripts alternates from round to round, because the set that runs second may be
    // slower or faster.
    for (let turn = 0; turn < subjects.length; turn++) {
      const at = (turn + round) % subjects.length;
      times[at]!.push(timeOf(subjects[at]!, points, repeats[at]!));
    }
  }
  return times;
}

/** Returns how often a subject (set of scripts) has to run over the points so that a round takes long enough. */
function repeatsOf(each: Subject, points: readonly Point[]): number {
  for (let repeats = 1; ; repeats *= 2) {
    const ms = (timeOf(each, points, repeats) * points.length * repeats) / 1e6;
    if (ms >= roundMs || repeats * points.length >= mostCopies) return repeats;
  }
}

function timeOf(each: Subject, points: readonly Point[], repeats: number): number {
  // A script changes the points, so each run needs copies of them. The copies are made before the time is measured.
  const copies = Array.from({ length: repeats }, () => points.map((point) => Point.copyOf(point)));
  const began = performance.now();
  for (const copy of copies) each.run(copy);
  return ((performance.now() - began) * 1e6) / (points.length * repeats);
}

function partsOf(times: readonly number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  const low = sorted[0]!;
  // The slowest rounds were slow because of interruptions. They are left out of the histogram, because they would make
  // the intervals too wide.
  const high = Math.max(low * 1.01, quantile(sorted, 0.98));
  return Array.from({ length: histogramParts + 1 }, (_, at) => low + ((high - low) * at) / histogramParts);
}

function summaryOf(times: readonly number[], parts: readonly number[]): Times {
  const sorted = [...times].sort((a, b) => a - b);
  const histogram = new Array<number>(parts.length - 1).fill(0);
  const [low, width] = [parts[0]!, parts[1]! - parts[0]!];
  for (const time of sorted) histogram[Math.min(histogram.length - 1, Math.floor((time - low) / width))]!++;
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.05),
    high: quantile(sorted, 0.95),
    rounds: sorted.length,
    histogram,
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

function statementShares(mill: Instance, job: Job, points: readonly Point[], ms: number): StatementShare[] {
  const { category, maxSteps } = job;
  const made = compiled(mill, job.scripts, true);
  if (made === null) return [];
  try {
    const probe = createProfile(() => performance.now());
    const end = performance.now() + ms;
    do {
      for (const point of points) mill.run(made.script, Point.copyOf(point), { category, maxSteps, probe });
    } while (performance.now() < end);
    return sharesOf(probe.statements());
  } finally {
    made.free();
  }
}

function sharesOf(statements: readonly StatementTime[]): StatementShare[] {
  const all = statements.reduce((sum, { time }) => sum + time, 0);
  return statements.slice(0, mostStatements).map(({ position: { file, ln }, text, time }) => ({
    ...{ script: file, ln, text: text.slice(0, 100) },
    share: all === 0 ? 0 : time / all,
  }));
}
