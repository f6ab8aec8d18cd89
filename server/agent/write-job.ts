// The work of one write, apart from threads: decode, strict, echo, tags, script, constraints, encode
// (agent document, A.3.4 steps 6 to 9 and B.2).

import type { CategoryName } from "../../lib/point/category.ts";
import { type Created, type Engine, Key, type Points, type PointView, plErrorText } from "./engine.ts";
import type { Batch, ExtraTag, RunCount, WriteAnswer, WriteJob } from "./protocol.ts";

/** Throws the decoder's PointError. */
export function processWrite(engine: Engine, job: WriteJob, body: Uint8Array): WriteAnswer {
  const points = engine.decode(body, job);
  try {
    if (points.length === 0) return { ok: false, code: "agent.noPoints", message: "" };
    if (job.strict) {
      const warning = firstWarning(points);
      if (warning !== undefined) return { ok: false, code: "agent.pointGotWarning", message: warning };
    }
    addTagsToAll(points, job.earlyTags);
    const echo = job.echo === undefined ? undefined : engine.encode(points, job.echo);
    const fed = job.dry ? { batches: [], skipped: 0, run: undefined } : feed(engine, job, points);
    return { ok: true, points: points.length, echo, ...fed };
  } finally {
    points.release();
  }
}

function feed(engine: Engine, job: WriteJob, points: Points) {
  addTagsToAll(points, job.globalTags);
  const encoder = createBatchEncoder(engine, job.batchBytes);
  if (job.script === undefined || !engine.has(job.category, job.script)) {
    encoder.add(job.category, points);
    return { batches: encoder.batches, skipped: encoder.skipped, run: undefined };
  }
  const { kept, created, run } = runScript(engine, job, job.script, points);
  encoder.add(job.category, kept);
  for (const category of new Set(created.map((each) => each.category))) {
    const made = created.filter((each) => each.category === category).map(({ point }) => point);
    for (const point of made) engine.correct(point, category);
    encoder.add(category, made);
  }
  return { batches: encoder.batches, skipped: encoder.skipped, run };
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
  return { kept, created, run };
}

/** Cuts the points of each category into batches of at most `limit` bytes; 0 = one batch. */
function createBatchEncoder(engine: Engine, limit: number) {
  const batches: Batch[] = [];
  const made = { batches, skipped: 0, add };

  function add(category: CategoryName, points: Points | readonly PointView[]): void {
    if (points.length > 0) encodeRange(0, points.length);

    function encodeRange(from: number, to: number): void {
      const body = engine.encode(points, "lp", { from, to });
      // Points that line protocol cannot say (no field is left) are not in the text.
      if (body.length === 0) return;
      if (limit === 0 || body.length <= limit) batches.push({ category, body, points: to - from });
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

/** Adds each tag to the points that have its key neither as tag nor as field. */
function addTagsToAll(points: Points, tags: readonly ExtraTag[]): void {
  if (tags.length === 0) return;
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
