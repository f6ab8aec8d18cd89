// The work of one write, apart from threads: decode, strict, echo, script, constraints, filters, global tags, shard keys,
// encode (agent document, A.3.4 steps 6 to 9 and B.2).

import type { DropRules } from "../../lib/filter/drop-rules.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import { groupByHeader } from "../../lib/sharding/shard-keys.ts";
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
import type {
  AggregatedBucket,
  Aggregating,
  Batch,
  ExtraTag,
  FilterCount,
  RumRules,
  WriteAnswer,
  WriteJob,
} from "./protocol.ts";
import { refusedRum, resolveStacks } from "./rum-points.ts";
import type { SourceMaps } from "./source-maps/source-maps.ts";

/** What bounds the scripts of one write. */
export interface WriteLimits {
  /** 0 = no limit. */
  readonly maxStepsPerWrite: number;
  /** Milliseconds for requests. */
  readonly requestsMs: number;
  readonly rum: Rum;
  /** Has other jobs go on while a script waits; at once when absent. */
  readonly apart?: RunApart;
  /** Bodies of batches as they are kept, in memory of their own; as they are when absent. */
  readonly pack?: Pack;
}

/** The body given to it is good for the length of the call. */
export type Pack = (body: Uint8Array) => Pick<Batch, "body" | "gzip">;

/** `script`: its category and name. By the time it is called, what the write keeps lies in no batch. */
export type RunApart = <T>(script: string, isStateful: boolean, work: () => Promise<T>) => Promise<T>;

/** What a worker has for RUM points. */
export interface Rum {
  readonly rules: RumRules;
  readonly sourceMaps: SourceMaps | undefined;
}

/** Points that can be asked for one by one: a batch, a part of one, or a list. */
interface Series {
  readonly length: number;
  /** Valid until the next call. */
  at(index: number): PointView;
}

/** Throws the decoder's PointError. */
export async function processWrite(
  engine: Engine,
  rules: DropRules,
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
    const isRum = job.category === "rum";
    const refused = isRum ? refusedRum(points, limits.rum.rules) : undefined;
    if (refused !== undefined) return refused;
    addTagsToAll(points, job.earlyTags);
    const echo = job.echo === undefined ? undefined : engine.encode(points, job.echo);
    if (job.dry) {
      const nothing = { batches: [], skipped: 0, run: undefined, filtered: [], stacks: [] };
      return { ok: true, points: points.length, echo, ...nothing };
    }
    const { sourceMaps } = limits.rum;
    const stacks = isRum && sourceMaps !== undefined ? await resolveStacks(points, sourceMaps) : [];
    return { ok: true, points: points.length, echo, stacks, ...(await feed(engine, rules, job, points, limits)) };
  } finally {
    points.release();
  }
}

/** Points that buckets gave out, by bucket, as batches. */
export function encodeAggregated(
  engine: Engine,
  rules: DropRules,
  aggregated: readonly Aggregated[],
  { hostTags, ...cut }: Aggregating,
): { readonly buckets: readonly AggregatedBucket[]; readonly filtered: readonly FilterCount[] } {
  const filtered: FilterCount[] = [];
  const buckets = Array.from(
    groupedBy(aggregated, ({ bucket }) => bucket),
    ([name, made]) => {
      const encoder = createBatchEncoder(engine, cut);
      addByCategory(encoder, made, rules, hostTags, filtered);
      return { name, batches: encoder.batches, skipped: encoder.skipped };
    },
  );
  return { buckets, filtered };
}

async function feed(engine: Engine, rules: DropRules, job: WriteJob, points: Points, limits: WriteLimits) {
  const script = job.script === undefined ? undefined : engine.script(job.category, job.script);
  const { kept, created, run } =
    script === undefined
      ? { kept: points, created: [], run: undefined }
      : await runScript(engine, job, script, points, limits);
  const filtered: FilterCount[] = [];
  const encoder = createBatchEncoder(engine, job, limits.pack);

  const left = withoutDropped(rules, job.category, kept, filtered);
  addTagsToAll(left, job.globalTags);
  encoder.add(job.category, left);
  // Points that a script has made, and those that a window brings back, get no global tags.
  for (const { category, point } of created) engine.correct(point, category);
  addByCategory(encoder, created, rules, [], filtered);
  return { batches: encoder.batches, skipped: encoder.skipped, run, filtered };
}

/** What the filters of the category leave; adds to `counts` when there are any. */
function withoutDropped(rules: DropRules, category: CategoryName, points: Series, counts: FilterCount[]): Series {
  if (!rules.has(category)) return points;
  const began = performance.now();
  const left: number[] = [];
  for (let at = 0; at < points.length; at++) if (!rules.drops(points.at(at), category)) left.push(at);
  const dropped = points.length - left.length;
  counts.push({ category, points: points.length, dropped, seconds: (performance.now() - began) / 1000 });
  return dropped === 0 ? points : partOf(points, left);
}

/** The points that are left, corrected again, in order; what the script created; and what is to be counted. */
async function runScript(engine: Engine, job: WriteJob, script: Runner, points: Points, limits: WriteLimits) {
  const budget = limits.maxStepsPerWrite === 0 ? undefined : { limit: limits.maxStepsPerWrite, used: 0 };
  const { kept, created, failures, take } = gather(engine, job.category);
  const began = performance.now();
  if (script.waits) {
    // Nothing of a batch outlives an `await`.
    const copies = Array.from({ length: points.length }, (_, at) => points.point(at));
    points.release();
    const work = () => runAllWaiting(script, copies, { budget }, limits.requestsMs, take);
    await (limits.apart?.(`${job.category}/${job.script}`, script.isStateful, work) ?? work());
  } else script.runAll(points, { budget }, (result, at) => take(result, () => points.point(at)));
  const seconds = (performance.now() - began) / 1000;
  const run = { points: points.length, dropped: points.length - kept.length, seconds, ...failures };
  return { kept: seriesOf(kept), created, run };
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

/** A script that keeps state sees its points one after the other. */
async function runAllWaiting(
  script: Runner,
  points: readonly Point[],
  options: RunOptions,
  requestsMs: number,
  take: (result: RunResult, pointAfter: () => Point) => void,
): Promise<void> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), requestsMs);
  const atOnce = script.isStateful ? 1 : waitingAtOnce;
  const running: Promise<() => void>[] = [];
  try {
    for (const point of points) {
      if (running.length === atOnce) (await running.shift()!)();
      const result = script.runWaiting(point, { ...options, signal: deadline.signal });
      running.push(result.then((ended) => () => take(ended, () => point)));
    }
    for (const ended of running) (await ended)();
  } finally {
    clearTimeout(timer);
  }
}

/** Adds the points of each category that its filters leave. */
function addByCategory(
  encoder: ReturnType<typeof createBatchEncoder>,
  made: readonly Created[],
  rules: DropRules,
  tags: readonly ExtraTag[],
  counts: FilterCount[],
): void {
  for (const [category, its] of groupedBy(made, (each) => each.category)) {
    const points = seriesOf(its.map(({ point }) => point));
    const left = withoutDropped(rules, category, points, counts);
    addTagsToAll(left, tags);
    encoder.add(category, left);
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

/** Cuts the points of each category, and of each shard, into batches of at most `batchBytes`; 0 = one batch. */
function createBatchEncoder(
  engine: Engine,
  { batchBytes, shardKeys }: Pick<WriteJob, "batchBytes" | "shardKeys">,
  pack?: Pack,
) {
  const encodeLines = pack === undefined ? engine.encode : engine.encodeForNow;
  const keys = shardKeys === undefined ? undefined : new Set(shardKeys);
  const batches: Batch[] = [];
  const made = { batches, skipped: 0, add };

  function add(category: CategoryName, points: Series): void {
    const groups = keys === undefined ? undefined : groupByHeader(points, category, keys);
    if (groups === undefined) encode(points, { category });
    else
      for (const { header, indexes } of groups) {
        encode(groups.length === 1 ? points : partOf(points, indexes), { category, globalTags: header });
      }
  }

  function encode(points: Series, kind: Pick<Batch, "category" | "globalTags">): void {
    if (points.length > 0) encodeRange(0, points.length);

    function encodeRange(from: number, to: number): void {
      const body = isBatch(points)
        ? encodeLines(points, "lp", { from, to })
        : encodeLines(every(points, from, to), "lp");
      // Points that line protocol cannot say (no field is left) are not in the text.
      if (body.length === 0) return;
      if (batchBytes === 0 || body.length <= batchBytes) {
        batches.push({ ...kind, ...(pack?.(body) ?? { body }), points: to - from });
      } else if (to - from === 1) made.skipped++;
      else {
        const middle = (from + to) >>> 1;
        encodeRange(from, middle);
        encodeRange(middle, to);
      }
    }
  }
  return made;
}

/** A batch is encoded where it lies. */
function isBatch(points: Series): points is Points {
  return "release" in points;
}

function seriesOf(points: readonly PointView[]): Series {
  return { length: points.length, at: (index) => points[index]! };
}

function partOf(points: Series, indexes: readonly number[]): Series {
  return { length: indexes.length, at: (index) => points.at(indexes[index]!) };
}

function* every(points: Series, from = 0, to = points.length): Iterable<PointView> {
  for (let at = from; at < to; at++) yield points.at(at);
}

/** What points from clients are corrected to (points document, 10.6): these texts come from clients too. */
function inOneLine(text: string): string {
  return text.replace(/\\+$/, "").replaceAll("\n", " ");
}

/** Adds each tag to the points that have its key neither as tag nor as field. */
function addTagsToAll(points: Series, tags: readonly ExtraTag[]): void {
  for (const [name, text] of tags) {
    const [key, value] = [new Key(inOneLine(name)), inOneLine(text)];
    if (isBatch(points)) for (const at of points.without(key)) points.at(at).setTag(key, value);
    else for (const point of every(points)) if (!point.has(key)) point.setTag(key, value);
  }
}

/** `<type>: <message>` of the first warning of the first point that has one. */
function firstWarning(points: Points): string | undefined {
  for (let at = 0; at < points.length; at++) {
    const [warning] = points.warnings(at);
    if (warning !== undefined) return `${warning.type}: ${warning.message}`;
  }
  return undefined;
}
