// The work of one write, apart from threads: decode, strict, echo, script, constraints, filters, global tags, shard keys,
// encode (agent document, A.3.4 steps 6 to 9 and B.2).

import type { DropRules } from "../../lib/filter/drop-rules.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import { groupByHeader } from "../../lib/sharding/shard-keys.ts";
import { type Created, type Engine, Key, type Points, type PointView, plErrorText } from "./engine.ts";
import type { Batch, ExtraTag, FilterCount, RumRules, RunCount, WriteAnswer, WriteJob } from "./protocol.ts";
import { refusedRum, resolveStacks } from "./rum-points.ts";
import type { SourceMaps } from "./source-maps/source-maps.ts";

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
  rum: Rum,
): Promise<WriteAnswer> {
  const points = engine.decode(body, job);
  try {
    if (points.length === 0) return { ok: false, code: "agent.noPoints", message: "" };
    if (job.strict) {
      const warning = firstWarning(points);
      if (warning !== undefined) return { ok: false, code: "agent.pointGotWarning", message: warning };
    }
    const isRum = job.category === "rum";
    const refused = isRum ? refusedRum(points, rum.rules) : undefined;
    if (refused !== undefined) return refused;
    addTagsToAll(points, job.earlyTags);
    const echo = job.echo === undefined ? undefined : engine.encode(points, job.echo);
    if (job.dry) {
      const nothing = { batches: [], skipped: 0, run: undefined, filtered: [], stacks: [] };
      return { ok: true, points: points.length, echo, ...nothing };
    }
    const stacks = isRum && rum.sourceMaps !== undefined ? await resolveStacks(points, rum.sourceMaps) : [];
    return { ok: true, points: points.length, echo, stacks, ...feed(engine, rules, job, points) };
  } finally {
    points.release();
  }
}

function feed(engine: Engine, rules: DropRules, job: WriteJob, points: Points) {
  const hasScript = job.script !== undefined && engine.has(job.category, job.script);
  const { kept, created, run } = hasScript
    ? runScript(engine, job, job.script!, points)
    : { kept: points, created: [], run: undefined };
  const filtered: FilterCount[] = [];
  const encoder = createBatchEncoder(engine, job);

  const left = withoutDropped(rules, job.category, kept, filtered);
  addTagsToAll(left, job.globalTags);
  encoder.add(job.category, left);
  // Points that a script has made get no global tags.
  for (const category of new Set(created.map((each) => each.category))) {
    const made = created.filter((each) => each.category === category).map(({ point }) => point);
    for (const point of made) engine.correct(point, category);
    encoder.add(category, withoutDropped(rules, category, seriesOf(made), filtered));
  }
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
function runScript(engine: Engine, job: WriteJob, script: string, points: Points) {
  const kept: PointView[] = [];
  const created: Created[] = [];
  let errors = 0;
  let firstError: string | undefined;
  const began = performance.now();
  for (let at = 0; at < points.length; at++) {
    const result = engine.run(job.category, script, points.at(at));
    if (result.error !== null) {
      errors++;
      firstError ??= plErrorText(result.error);
    } else created.push(...result.created);
    if (result.dropped) continue;
    const point = points.point(at);
    engine.correct(point, job.category);
    kept.push(point);
  }
  const seconds = (performance.now() - began) / 1000;
  const run: RunCount = {
    points: points.length,
    dropped: points.length - kept.length,
    errors,
    seconds,
    firstError,
  };
  return { kept: seriesOf(kept), created, run };
}

/** Cuts the points of each category, and of each shard, into batches of at most `batchBytes`; 0 = one batch. */
function createBatchEncoder(engine: Engine, { batchBytes, shardKeys }: WriteJob) {
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
        ? engine.encode(points, "lp", { from, to })
        : engine.encode(every(points, from, to), "lp");
      // Points that line protocol cannot say (no field is left) are not in the text.
      if (body.length === 0) return;
      if (batchBytes === 0 || body.length <= batchBytes) {
        batches.push({ ...kind, body, points: to - from });
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
  if (tags.length === 0) return;
  const keyed = tags.map(([key, value]) => [new Key(inOneLine(key)), inOneLine(value)] as const);
  for (const point of every(points)) for (const [key, value] of keyed) if (!point.has(key)) point.setTag(key, value);
}

/** `<type>: <message>` of the first warning of the first point that has one. */
function firstWarning(points: Points): string | undefined {
  for (let at = 0; at < points.length; at++) {
    const [warning] = points.warnings(at);
    if (warning !== undefined) return `${warning.type}: ${warning.message}`;
  }
  return undefined;
}
