// Processes one write, on the main thread or a worker thread. The steps are: decode and check the points, encode
// the echo (the points to return in the answer), add global tags, run the script, apply constraints and filters,
// compute shard keys, encode the points for the output (docs/reference/agent.md#the-way-of-a-point). The decoder
// returns the points in windows (batches of bounded size). The answer and the encoded batches are the same as if
// the whole body were processed at once.

import type { DropRules } from "../../../lib/filter/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { createWrittenBytes, type WrittenBytes } from "../../http/body/written-bytes.ts";
import type { Aggregated, Created, Engine, Point, PointSeries, Points, PointWindows } from "../engine.ts";
import { createPointSampler } from "../live/sample-points.ts";
import { createBatches, type Kept, type WriteBatches } from "../outputs/batches.ts";
import { compressLarge, copyOf } from "../outputs/compress-batch.ts";
import type { Matching } from "../scripts/script-layers.ts";
import type { SourceMaps } from "../source-maps/source-maps.ts";
import { createChecks } from "./checks.ts";
import type { Converters } from "./converter.ts";
import { createEcho } from "./echo.ts";
import { addTagsToAll } from "./extra-tags.ts";
import { indexesOf, listOf } from "./point-list.ts";
import { addressTags } from "./rum/address.ts";
import { resolveStacks } from "./rum/points.ts";
import { createScriptRun, type ScriptLimits, type ScriptOutcome, type ScriptRun } from "./script-run.ts";
import { correctTimes } from "./time-correction.ts";
import type { AggregatedBucket, Aggregating } from "./workers/messages.ts";
import type { FilterCount, RumRules, RumStack, WriteAnswer, WriteJob } from "./write-job.ts";
import { anyScript, type ExtraTag } from "./write-request.ts";
import { scriptsOf } from "./write-scripts.ts";

/** The limits of one write, and the components that its processing needs. */
export interface WriteLimits extends ScriptLimits {
  /** Tables that say which script runs over a point when the name of the point decides; absent: no name decides. */
  readonly matching?: Matching;
  readonly rum: Rum;
  /** Converters for bodies in other formats, such as OTLP; absent when no write has to be converted. */
  readonly converters?: Converters;
  /**
   * Runs the remaining work on a write whose script waits for HTTP requests, so that the thread can process other
   * jobs during the wait. When this function is absent, other jobs must wait until the script has ended.
   */
  readonly apart?: RunApart;
}

/**
 * Runs `work` so that the thread can process other jobs while `work` waits. `work` processes a write whose
 * script waits for HTTP requests. `script`: category and name of the script. Before the call, the caller must
 * free all points of the write in the memory of the WebAssembly module.
 */
export type RunApart = <T>(script: string, isStateful: boolean, work: () => Promise<T>) => Promise<T>;

/** Rules for RUM (real user monitoring) points, and source maps to resolve their error stacks. */
export interface Rum {
  readonly rules: RumRules;
  readonly sourceMaps: SourceMaps | undefined;
  /** Logs that the agent cannot look up the geographic places of browsers. */
  readonly warn?: (message: string) => void;
}

/** Processes the points of a write. Returns the answer. Throws PointError when the body cannot be decoded. */
export async function processWrite(
  engine: Engine,
  rules: DropRules,
  job: WriteJob,
  body: Uint8Array,
  limits: WriteLimits,
): Promise<WriteAnswer> {
  const windows = engine.windows(body, job);
  let run: ScriptRun | undefined;
  try {
    const checks = createChecks(job, limits.rum.rules);
    const sampler = samplerOf(engine, job);
    const scripts = scriptsOf(engine, job, limits.matching);
    let points = windows.next();
    // The effects of a script cannot be undone. So all points of the write are checked before the script runs over
    // the first point.
    const looksFirst = scripts !== undefined && (scripts.waits || !windows.isAtEnd);
    if (looksFirst) {
      for (; points !== undefined; points = windows.next()) checks.inspect(points);
      const refusal = checks.refusal();
      if (refusal !== undefined) return refusal;
    }
    if (scripts !== undefined) run = createScriptRun(engine, scripts, job.category, limits, sampler);
    const written = createWrittenBytes(job.maxWrittenBytes);
    const echo = job.echo === undefined ? undefined : createEcho(engine, job.echo, written);
    const keep = keeper(job.compressesLarge, body.length);
    const batching = createBatching(engine, rules, job, keep, written);
    let fieldless = 0;
    const stacks: RumStack[] = [];
    const earlyTags = earlyTagsOf(engine, job, limits.rum);

    const work = async (): Promise<void> => {
      if (looksFirst) {
        windows.rewind();
        points = windows.next();
      }
      for (; points !== undefined; points = windows.next()) {
        if (!looksFirst) checks.inspect(points);
        // After a point was refused, the decoder still reads the remaining points of the body. If it finds a decoding
        // error there, the answer reports this error and not the refused point.
        if (checks.isRefused) continue;
        addTagsToAll(points, earlyTags);
        echo?.add(points);
        if (job.dry) continue;
        stacks.push(...(await stacksOf(points, job, limits.rum)));
        const indexes = points.withField();
        fieldless += points.length - (indexes?.length ?? points.length);
        addTagsToAll(points, job.globalTags);
        if (scripts === undefined) sampler?.passBy(points, indexes);
        batching.add(await throughScript(points, indexes, windows, run, scripts?.waits === true));
      }
    };
    if (scripts?.waits !== true || limits.apart === undefined) await work();
    else {
      // This write may have to wait for earlier writes of the same script. During this time, its points must not
      // occupy the memory of the WebAssembly module.
      windows.release();
      await limits.apart(`${job.category}/${job.script}`, scripts.isStateful, work);
    }
    const refusal = checks.refusal();
    if (refusal !== undefined) return refusal;
    const batched = batching.end();
    const skipped = batched.skipped + fieldless;
    const sampled = sampler === undefined ? {} : { sampled: sampler.end() };
    return {
      ok: true,
      points: checks.points,
      echo: echo?.end(),
      stacks,
      ...batched,
      skipped,
      runs: scripts?.counts() ?? [],
      ...sampled,
    };
  } finally {
    run?.close();
    windows.release();
  }
}

/** Returns the object that samples points of a write; undefined when no points of this write are to be sampled. */
function samplerOf(engine: Engine, { sample, dry, category, script = "" }: WriteJob) {
  if (sample === undefined || dry) return undefined;
  return createPointSampler(sample, engine, category, script === anyScript ? "" : script);
}

function earlyTagsOf(engine: Engine, { earlyTags, browserAddress }: WriteJob, { warn }: Rum): readonly ExtraTag[] {
  if (browserAddress === undefined) return earlyTags;
  try {
    return [...earlyTags, ...addressTags(browserAddress, engine.placeOf)];
  } catch (error) {
    warn?.(`the places of browsers stay unknown: ${(error as Error).message}`);
    return [...earlyTags, ...addressTags(browserAddress, () => null)];
  }
}

async function stacksOf(points: Points, { category }: WriteJob, { sourceMaps }: Rum): Promise<RumStack[]> {
  return category === "rum" && sourceMaps !== undefined ? resolveStacks(points, sourceMaps) : [];
}

/**
 * Runs the script over those points of a window (batch of decoded points) that have a field. Points without a
 * field are neither stored nor sent. `indexes`: the indexes of the points that have a field; undefined when all
 * points have one.
 */
async function throughScript(
  points: Points,
  indexes: readonly number[] | undefined,
  windows: PointWindows,
  run: ScriptRun | undefined,
  waits: boolean,
): Promise<ScriptOutcome> {
  if (run === undefined) return { left: indexes === undefined ? points : points.select(indexes), created: [] };
  if (!waits) return run.over(points, indexes);
  const copies: Point[] = (indexes ?? indexesOf(points)).map((at) => points.point(at));
  // Other jobs run on this thread while the script waits, and the decoded points would occupy memory of the WebAssembly
  // module until the script has ended. Therefore the script gets copies of the points. When this window (batch of
  // decoded points) is the last one, one more call of `windows.next` frees the decoded points.
  if (windows.isAtEnd) windows.next();
  return await run.overWaiting(copies);
}

/** Filters and encodes the points that the script did not drop, and corrects their times. */
function createBatching(
  engine: Engine,
  rules: DropRules,
  job: WriteJob,
  keep: (body: Uint8Array) => Kept,
  written: WrittenBytes,
) {
  const counts = new Map<CategoryName, FilterCount>();
  const corrected = new Map<CategoryName, number>();
  const correct = (category: CategoryName, points: PointSeries) => {
    if (job.correctsTimes !== true) return;
    const count = correctTimes(points, job.now);
    if (count > 0) corrected.set(category, (corrected.get(category) ?? 0) + count);
  };
  const own = createBatches(engine, job, keep, written);
  // Encodes two further kinds of points into batches, which follow the batches of the write's own points: points
  // that the script created, and points that the script kept back earlier and releases now. A released point has
  // the global tags that it had when the script kept it back; a created point has no global tags.
  const made = createBatches(engine, job, keep, written);
  return {
    add: ({ left, created }: ScriptOutcome): void => {
      const kept = withoutDropped(rules, job.category, left, counts);
      correct(job.category, kept);
      own.add(job.category, kept);
      for (const { category, point } of created) engine.correct(point, category);
      addByCategory(made, created, rules, counts, correct);
    },
    end: () => ({
      batches: [...own.end(), ...made.end()],
      skipped: own.skipped + made.skipped,
      filtered: [...counts.values()],
      ...(corrected.size > 0 ? { corrected } : {}),
    }),
  };
}

/**
 * Number of bytes of uncompressed batches (encoded points) that every write may keep in memory until it is
 * answered. This number does not depend on the size of the write's body.
 */
const freeBytes = 4 * 1024 * 1024;

/**
 * Returns a function that copies or compresses a batch (encoded points). The result stays in memory until the
 * write is answered. With `compressesLarge`, the function compresses every large batch. Otherwise it
 * compresses large batches only after the encoded points of the write have become longer than `freeBytes` and
 * longer than half of the body. (Encoded points may be many times longer than the body.)
 */
function keeper(compressesLarge: boolean | undefined, bodyBytes: number): (body: Uint8Array) => Kept {
  if (compressesLarge === true) return compressLarge;
  let plainBytes = 0;
  return (body) => {
    plainBytes += body.length;
    return plainBytes > Math.max(freeBytes, bodyBytes / 2) ? compressLarge(body) : copied(body);
  };
}

const copied = (body: Uint8Array): Kept => ({ body: copyOf(body) });

/**
 * Encodes the points that a script's aggregations (`agg_create`) released. Returns one item for each name of an
 * aggregation: its encoded points as batches for the output, and the number of points that could not be encoded. Also
 * returns how many points the filters of each category saw and dropped.
 */
export function encodeAggregated(
  engine: Engine,
  rules: DropRules,
  aggregated: readonly Aggregated[],
  { hostTags, ...cut }: Aggregating,
): { readonly buckets: readonly AggregatedBucket[]; readonly filtered: readonly FilterCount[] } {
  const counts = new Map<CategoryName, FilterCount>();
  const buckets = Array.from(
    groupedBy(aggregated, ({ bucket }) => bucket),
    ([name, made]) => {
      const batches = createBatches(engine, cut, copied);
      addTagsToAll(listOf(made.map(({ point }) => point)), hostTags);
      addByCategory(batches, made, rules, counts);
      return { name, batches: batches.end(), skipped: batches.skipped };
    },
  );
  return { buckets, filtered: [...counts.values()] };
}

/**
 * Returns the points that the filters of the category do not drop. When the category has filters, adds the numbers of
 * points seen and dropped to `counts`.
 */
function withoutDropped(
  rules: DropRules,
  category: CategoryName,
  points: PointSeries,
  counts: Map<CategoryName, FilterCount>,
): PointSeries {
  if (!rules.has(category)) return points;
  const began = performance.now();
  const left: number[] = [];
  for (let at = 0; at < points.length; at++) if (!rules.drops(points.at(at), category)) left.push(at);
  const { points: before, dropped, seconds } = counts.get(category) ?? { points: 0, dropped: 0, seconds: 0 };
  counts.set(category, {
    category,
    points: before + points.length,
    dropped: dropped + points.length - left.length,
    seconds: seconds + (performance.now() - began) / 1000,
  });
  return left.length === points.length ? points : points.select(left);
}

/**
 * Applies the filters to the points, and adds the points that no filter drops to `batches`, by category. Calls
 * `finish` with these points of each category before they are added.
 */
function addByCategory(
  batches: WriteBatches,
  made: readonly Created[],
  rules: DropRules,
  counts: Map<CategoryName, FilterCount>,
  finish?: (category: CategoryName, points: PointSeries) => void,
): void {
  for (const [category, its] of groupedBy(made, (each) => each.category)) {
    const left = withoutDropped(rules, category, listOf(its.map(({ point }) => point)), counts);
    finish?.(category, left);
    batches.add(category, left);
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
