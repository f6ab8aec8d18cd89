// Writes that no script, filter or stack runs on are decoded and encoded where they are when they are small: handing them to a
// worker thread and its answer back costs more than the work itself. Where several processes take writes the machine is busy
// anyway, and larger ones stay where they are too; so do those that nobody waits behind. Everything else goes to the workers.

import { compileDropRules } from "../../../../lib/filter/drop-rules.ts";
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

/** Largest body, in bytes, by what it is made of. */
export type MostBytes = Readonly<Record<Form, number>>;

/** Forms that are scanned in WebAssembly take some ten microseconds for it, the others more. */
export const smallBytes: MostBytes = { lp: 16 * 1024, pb: 16 * 1024, json: 2048, pbjson: 2048 };
/** Some milliseconds. */
export const briefBytes: MostBytes = { lp: 1024 * 1024, pb: 1024 * 1024, json: 128 * 1024, pbjson: 128 * 1024 };

/** What tells where a write is done. */
export interface KnownOfJob
  extends Pick<WriteJob, "category" | "form" | "script" | "encoding" | "conversion" | "isAlone"> {
  readonly body: { readonly length: number };
}

export interface SmallWrites {
  takes(job: KnownOfJob, filters: FilterSources): boolean;
  /** Any write that no script runs on; plain small ones at once. */
  run(job: WriteJob): WriteAnswer | Promise<WriteAnswer>;
}

export function createSmallWrites(wasm: WebAssembly.Module, limits: WriteLimits, mostBytes = smallBytes): SmallWrites {
  /** For the batch of one plain write after the other. */
  const lent = Buffer.allocUnsafeSlow(mostCopied);
  const noRules = compileDropRules({}, { strictTypes: true });
  let engine: Engine | undefined;
  let making: Promise<Engine> | undefined;
  const make = () =>
    (making ??= createEngine(wasm, { maxSteps: 0 }).then((made) => {
      engine = made;
      return made;
    }));
  /** Whatever state the instance is in: the next write gets a new one. */
  const forget = () => {
    engine = undefined;
    making = undefined;
  };

  /** One after the other: each is slower the more of them keep something in the module's memory. */
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

/** Its points become one batch, and nothing else is asked of them. */
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

/** What the general way does, in one go; undefined when the points fill more than one batch. A small one lies in `lent`. */
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

/** In memory of its own when there is not enough. */
function copyIn(memory: Buffer, bytes: Uint8Array): Uint8Array {
  if (bytes.length > memory.length) return Buffer.from(bytes);
  memory.set(bytes);
  return memory.subarray(0, bytes.length);
}
