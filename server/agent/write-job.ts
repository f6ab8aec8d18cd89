// The work of one write, apart from threads: decode, strict, echo, tags, script, constraints, encode
// (agent document, A.3.4 steps 6 to 9 and B.2).

import type { CategoryName } from "../../lib/point/category.ts";
import { type Created, type Engine, Key, type Points, type PointView, plErrorText } from "./engine.ts";
import type { Batch, ExtraTag, RumRules, RunCount, WriteAnswer, WriteJob } from "./protocol.ts";
import { refusedRum, resolveStacks } from "./rum-points.ts";
import type { SourceMaps } from "./source-maps/source-maps.ts";

/** What a worker has for RUM points. */
export interface Rum {
  readonly rules: RumRules;
  readonly sourceMaps: SourceMaps | undefined;
}

/** Throws the decoder's PointError. */
export async function processWrite(engine: Engine, job: WriteJob, body: Uint8Array, rum: Rum): Promise<WriteAnswer> {
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
    const echo = job.echo === undefined ? undefined : engine.encode(every(points), job.echo);
    if (job.dry) return { ok: true, points: points.length, echo, batches: [], skipped: 0, run: undefined, stacks: [] };
    const stacks = isRum && rum.sourceMaps !== undefined ? await resolveStacks(points, rum.sourceMaps) : [];
    return { ok: true, points: points.length, echo, stacks, ...feed(engine, job, points) };
  } finally {
    points.release();
  }
}

function feed(engine: Engine, job: WriteJob, points: Points) {
  addTagsToAll(points, job.globalTags);
  const encoder = createBatchEncoder(engine, job.batchBytes);
  if (job.script === undefined || !engine.has(job.category, job.script)) {
    encoder.add(job.category, points.length, (from, to) => every(points, from, to));
    return { batches: encoder.batches, skipped: encoder.skipped, run: undefined };
  }
  const { kept, created, run } = runScript(engine, job, job.script, points);
  encoder.add(job.category, kept.length, (from, to) => kept.slice(from, to));
  for (const category of new Set(created.map((each) => each.category))) {
    const made = created.filter((each) => each.category === category).map(({ point }) => point);
    for (const point of made) engine.correct(point, category);
    encoder.add(category, made.length, (from, to) => made.slice(from, to));
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

/** What points from clients are corrected to (points document, 10.6): these texts come from clients too. */
function inOneLine(text: string): string {
  return text.replace(/\\+$/, "").replaceAll("\n", " ");
}

/** Adds each tag to the points that have its key neither as tag nor as field. */
function addTagsToAll(points: Points, tags: readonly ExtraTag[]): void {
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
