// Decodes and encodes small writes on the main thread when no script, filter or stack applies to them: passing a small
// write to a worker thread and its answer back costs more than the work itself. Larger writes also stay on the main
// thread when no other request is under way, or when several processes accept writes, since the machine is then busy
// anyway. All other writes go to the workers.

import { compileDropRules } from "../../../../lib/filter/index.ts";
import { giveBack, isAlone } from "../../../http/body/body-memory.ts";
import { mostCopied } from "../../../queue/log/pending.ts";
import { createEngine, type Engine } from "../../engine.ts";
import { forOutput } from "../../outputs/batches.ts";
import { answerWrite, liesIn, refusalOf } from "../answer-write.ts";
import { noPoints } from "../checks.ts";
import { addTagsToAll } from "../extra-tags.ts";
import type { FilterSources } from "../filters.ts";
import type { WriteLimits } from "../job.ts";
import type { WriteAnswer, WriteJob } from "../write-job.ts";
import type { Form } from "../write-request.ts";

/** Length in bytes of the largest body, by the form of the body. */
export type MostBytes = Readonly<Record<Form, number>>;

/**
 * Limits for an ordinary small write. Forms that are scanned in WebAssembly take some ten microseconds for such a body;
 * the others take longer.
 */
export const smallBytes: MostBytes = { lp: 16 * 1024, pb: 16 * 1024, json: 2048, pbjson: 2048 };
/** Limits for a write that delays no other request. The work takes some milliseconds. */
export const briefBytes: MostBytes = { lp: 1024 * 1024, pb: 1024 * 1024, json: 128 * 1024, pbjson: 128 * 1024 };

/** The properties of a write that decide on which thread the work is done. */
export interface KnownOfJob
  extends Pick<WriteJob, "category" | "form" | "script" | "encoding" | "conversion" | "isAlone"> {
  readonly body: { readonly length: number };
}

export interface SmallWrites {
  takes(job: KnownOfJob, filters: FilterSources): boolean;
  /**
   * Does the work of a write that has no script. Returns the answer of a plain small write at once, a promise for all
   * others.
   */
  run(job: WriteJob): WriteAnswer | Promise<WriteAnswer>;
}

export function createSmallWrites(wasm: WebAssembly.Module, limits: WriteLimits, mostBytes = smallBytes): SmallWrites {
  /** Memory for the batch of a plain write. The next plain write uses the same memory. */
  const lent = Buffer.allocUnsafeSlow(mostCopied);
  const noRules = compileDropRules({}, { strictTypes: true });
  let engine: Engine | undefined;
  let making: Promise<Engine> | undefined;
  const make = () =>
    (making ??= createEngine(wasm, { maxSteps: 0 }).then((made) => {
      engine = made;
      return made;
    }));
  /**
   * Drops the engine, since an error may leave its WebAssembly instance in any state. The next write gets a new engine.
   */
  const forget = () => {
    engine = undefined;
    making = undefined;
  };

  /**
   * The last write of the queue. Writes run one after the other: each write is slower the more writes keep data in the
   * module's memory.
   */
  let last: Promise<unknown> = Promise.resolve();
  const answer = (job: WriteJob): Promise<WriteAnswer> => {
    const answered = last.then(() => answerNow(job));
    last = answered.catch(() => {});
    return answered;
  };

  const answerNow = async (job: WriteJob): Promise<WriteAnswer> => {
    try {
      const ownsBody = isAlone(job.body);
      const answered = await answerWrite(await make(), noRules, ownsBody ? { ...job, ownsBody } : job, limits);
      if (ownsBody && !liesIn(answered, job.body)) giveBack(job.body);
      return answered;
    } catch (error) {
      forget();
      throw error;
    }
  };

  return {
    takes: (job, filters) =>
      job.body.length <= (job.isAlone === true ? briefBytes : mostBytes)[job.form] &&
      job.script === undefined &&
      job.encoding === "" &&
      job.conversion === undefined &&
      job.category !== "rum" &&
      (filters[job.category]?.length ?? 0) === 0,
    run: (job) => {
      if (engine === undefined || !isPlain(job) || job.body.length > smallBytes[job.form]) return answer(job);
      try {
        return writePlainly(engine, job, lent) ?? answer(job);
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}

/** Whether the points of the write become one batch without any further processing. */
function isPlain({ encoding, strict, echo, dry, earlyTags, shardKeys, correctsTimes = false }: WriteJob): boolean {
  return (
    encoding === "" &&
    !strict &&
    echo === undefined &&
    !dry &&
    earlyTags.length === 0 &&
    shardKeys === undefined &&
    !correctsTimes
  );
}

/**
 * Does the same work as `answerWrite`, but synchronously. Returns undefined when the points fill more than one batch. A
 * batch that fits into `lent` is stored there.
 */
function writePlainly(engine: Engine, job: WriteJob, lent: Buffer): WriteAnswer | undefined {
  let body: Uint8Array | undefined;
  let isWhole = true;
  let points = 0;
  let written = 0;
  try {
    const batch = engine.decode(job.body, job);
    try {
      points = batch.length;
      if (points === 0) return noPoints;
      if (batch.withField() !== undefined) return undefined;
      addTagsToAll(batch, job.globalTags);
      const take = (chunk: Uint8Array) => {
        if (body === undefined) body = copyIn(lent, chunk);
        else isWhole = false;
      };
      written = engine.encodeTo(batch, job.batchForm ?? "lp", take, forOutput);
    } finally {
      batch.release();
    }
  } catch (error) {
    return refusalOf(error);
  }
  if (!isWhole || (job.batchBytes > 0 && body !== undefined && body.length > job.batchBytes)) return undefined;
  const batches = body === undefined ? [] : [{ category: job.category, body, points: written }];
  return {
    ok: true,
    points,
    echo: undefined,
    batches,
    skipped: points - written,
    stacks: [],
    filtered: [],
    run: undefined,
  };
}

/** Copies the bytes to `memory`, or to new memory when `memory` is too small. */
function copyIn(memory: Buffer, bytes: Uint8Array): Uint8Array {
  if (bytes.length > memory.length) return Buffer.from(bytes);
  memory.set(bytes);
  return memory.subarray(0, bytes.length);
}
