// The work of one write, apart from threads: decode, strict, echo, tags, script, constraints, encode
// (agent document, A.3.4 steps 6 to 9 and B.2).

import type { CategoryName } from "../../lib/point/category.ts";
import {
  type Aggregated,
  type Created,
  type Engine,
  Key,
  type Point,
  type Points,
  type PointView,
  plErrorText,
  type Runner,
  type RunOptions,
  type RunResult,
} from "./engine.ts";
import type { Batch, ExtraTag, WriteAnswer, WriteJob } from "./protocol.ts";

/** What bounds the scripts of one write. */
export interface WriteLimits {
  /** 0 = no limit. */
  readonly maxStepsPerWrite: number;
  /** Milliseconds for requests. */
  readonly requestsMs: number;
}

/** Throws the decoder's PointError. */
export async function processWrite(
  engine: Engine,
  job: WriteJob,
  body: Uint8Array,
  limits: WriteLimits,
): Promise<WriteAnswer> {
  const points = engine.decode(body, job);
  try {
    if (points.length === 0) return { ok: false, code: "agent.noPoints", message: "" };
    if (job.strict) {
      const warning = firstWarning(points);
      if (warning !== undefined) return { ok: false, code: "agent.pointGotWarning", message: warning };
    }
    addTagsToAll(points, job.earlyTags);
    const echo = job.echo === undefined ? undefined : engine.encode(every(points), job.echo);
    const fed = job.dry ? { batches: [], skipped: 0, run: undefined } : await feed(engine, job, points, limits);
    return { ok: true, points: points.length, echo, ...fed };
  } finally {
    points.release();
  }
}

/** Points that buckets gave out, by bucket, as batches. */
export function encodeAggregated(
  engine: Engine,
  aggregated: readonly Aggregated[],
  tags: readonly ExtraTag[],
  batchBytes: number,
): { name: string; batches: readonly Batch[] }[] {
  addTags(
    aggregated.map(({ point }) => point),
    tags,
  );
  return Array.from(
    groupedBy(aggregated, ({ bucket }) => bucket),
    ([name, points]) => {
      const encoder = createBatchEncoder(engine, batchBytes);
      addByCategory(encoder, points);
      return { name, batches: encoder.batches };
    },
  );
}

async function feed(engine: Engine, job: WriteJob, points: Points, limits: WriteLimits) {
  addTagsToAll(points, job.globalTags);
  const encoder = createBatchEncoder(engine, job.batchBytes);
  const script = job.script === undefined ? undefined : engine.script(job.category, job.script);
  if (script === undefined) {
    encoder.add(job.category, points.length, (from, to) => every(points, from, to));
    return { batches: encoder.batches, skipped: encoder.skipped, run: undefined };
  }
  const budget = limits.maxStepsPerWrite === 0 ? undefined : { limit: limits.maxStepsPerWrite, used: 0 };
  const gathered = gather(engine, job.category);
  const began = performance.now();
  if (script.waits) await runAllWaiting(script, points, { budget }, limits.requestsMs, gathered.take);
  else
    for (let at = 0; at < points.length; at++)
      gathered.take(script.run(points.at(at), { budget }), () => points.point(at));
  const seconds = (performance.now() - began) / 1000;
  const { kept, created } = gathered;
  encoder.add(job.category, kept.length, (from, to) => kept.slice(from, to));
  for (const { category, point } of created) engine.correct(point, category);
  addByCategory(encoder, created);
  const run = { points: points.length, dropped: points.length - kept.length, seconds, ...gathered.failures };
  return { batches: encoder.batches, skipped: encoder.skipped, run };
}

/** Takes the results of the runs in the order of the points. */
function gather(engine: Engine, category: CategoryName) {
  const kept: PointView[] = [];
  const created: Created[] = [];
  const failures: { errors: number; firstError: string | undefined } = { errors: 0, firstError: undefined };
  const take = (result: RunResult, pointAfter: () => Point) => {
    if (result.error !== null) {
      failures.errors++;
      failures.firstError ??= plErrorText(result.error);
    }
    for (const point of result.window) created.push({ category, point });
    created.push(...result.created.filter(({ dropped }) => dropped !== true));
    if (result.dropped) return;
    const point = pointAfter();
    engine.correct(point, category);
    kept.push(point);
  };
  return { kept, created, failures, take };
}

/** Runs that wait at the same time; results are taken in the order of the points all the same. */
const waitingAtOnce = 16;

/**
 * A script that waits runs over copies: the batch's one cursor cannot stay at several points. One that keeps state sees
 * its points one after the other.
 */
async function runAllWaiting(
  script: Runner,
  points: Points,
  options: RunOptions,
  requestsMs: number,
  take: (result: RunResult, pointAfter: () => Point) => void,
): Promise<void> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), requestsMs);
  const atOnce = script.isStateful ? 1 : waitingAtOnce;
  const running: Promise<() => void>[] = [];
  try {
    for (let at = 0; at < points.length; at++) {
      if (running.length === atOnce) (await running.shift()!)();
      const point = points.point(at);
      const result = script.runWaiting(point, { ...options, signal: deadline.signal });
      running.push(result.then((ended) => () => take(ended, () => point)));
    }
    for (const ended of running) (await ended)();
  } finally {
    clearTimeout(timer);
  }
}

function addByCategory(encoder: ReturnType<typeof createBatchEncoder>, made: readonly Created[]): void {
  for (const [category, its] of groupedBy(made, (each) => each.category)) {
    encoder.add(category, its.length, (from, to) => its.slice(from, to).map(({ point }) => point));
  }
}

function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Cuts the points of each category into batches of at most `limit` bytes; 0 = one batch. */
function createBatchEncoder(engine: Engine, limit: number) {
  const batches: Batch[] = [];
  const made = { batches, skipped: 0, add };

  function add(category: CategoryName, count: number, slice: (from: number, to: number) => Iterable<PointView>): void {
    if (count > 0) encodeRange(0, count);

    function encodeRange(from: number, to: number): void {
      const body = engine.encode(slice(from, to), "lp");
      // Points that line protocol cannot say (no field is left) are not in the text.
      if (body.length === 0) return;
      if (limit === 0 || body.length <= limit) batches.push({ category, body: owned(body), points: to - from });
      else if (to - from === 1) made.skipped++;
      else {
        const middle = (from + to) >>> 1;
        encodeRange(from, middle);
        encodeRange(middle, to);
      }
    }
  }
  return made;
}

/** Bytes in a buffer of their own, so that they can be transferred. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength && bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice();
}

function* every(points: Points, from = 0, to = points.length): Iterable<PointView> {
  for (let at = from; at < to; at++) yield points.at(at);
}

function addTagsToAll(points: Points, tags: readonly ExtraTag[]): void {
  if (tags.length > 0) addTags(every(points), tags);
}

/** Adds each tag to the points that have its key neither as tag nor as field. */
function addTags(points: Iterable<PointView>, tags: readonly ExtraTag[]): void {
  const keyed = tags.map(([key, value]) => [new Key(key), value] as const);
  for (const point of points) for (const [key, value] of keyed) if (!point.has(key)) point.setTag(key, value);
}

/** `<type>: <message>` of the first warning of the first point that has one. */
function firstWarning(points: Points): string | undefined {
  for (let at = 0; at < points.length; at++) {
    const [warning] = points.warnings(at);
    if (warning !== undefined) return `${warning.type}: ${warning.message}`;
  }
  return undefined;
}
