// Decodes and encodes small writes on the main thread when no script or filter applies to them and no error
// stack must be resolved. For a small write, this work takes less time than sending the write to a worker thread
// and the answer back. The main thread also processes larger writes in two cases. In the first case no other
// request is under way, so none has to wait. In the second case several processes accept writes, and these
// processes keep the machine busy anyway, so worker threads would not help. All other writes go to the worker
// threads.

import { compileDropRules } from "../../../../lib/filter/index.ts";
import { freeOwn } from "../../../http/body/own-memory.ts";
import { mostCopied } from "../../../queue/log/pending.ts";
import type { Engine } from "../../engine.ts";
import { forOutput } from "../../outputs/batches.ts";
import { answerWrite, refusalOf } from "../answer-write.ts";
import { noPoints } from "../checks.ts";
import { addTagsToAll } from "../extra-tags.ts";
import type { FilterSources } from "../filters.ts";
import type { WriteLimits } from "../job.ts";
import type { WriteAnswer, WriteJob } from "../write-job.ts";
import type { Form } from "../write-request.ts";

/** Length in bytes of the largest body that the main thread processes, by wire format. */
export type MostBytes = Readonly<Record<Form, number>>;

/**
 * Largest lengths in bytes of bodies that the main thread processes although other requests are under way. The
 * main thread needs some ten microseconds for a body of this length in line protocol or protobuf, which
 * WebAssembly decodes. JSON takes longer, so its limit is lower.
 */
export const smallBytes: MostBytes = { lp: 16 * 1024, pb: 16 * 1024, json: 2048, pbjson: 2048 };
/**
 * Largest lengths in bytes of bodies that the main thread processes when no other request is under way, or when
 * several processes accept writes. The main thread needs some milliseconds for a body of this length.
 */
export const briefBytes: MostBytes = { lp: 1024 * 1024, pb: 1024 * 1024, json: 128 * 1024, pbjson: 128 * 1024 };

/** The properties of a write that decide whether the main thread or a worker thread processes it. */
export interface KnownOfJob extends Pick<WriteJob, "category" | "form" | "script" | "encoding" | "conversion"> {
  readonly body: { readonly length: number };
}

export interface SmallWrites {
  /** Returns whether `run` can process the write. `isAlone`: whether no other request is under way. */
  takes(job: KnownOfJob, filters: FilterSources, isAlone?: boolean): boolean;
  /**
   * Processes a write that has no script. When the points only have to be decoded and encoded and the body is
   * small, returns the answer itself; otherwise returns a promise of the answer.
   */
  run(job: WriteJob): WriteAnswer | Promise<WriteAnswer>;
}

export function createSmallWrites(wasm: WebAssembly.Module, limits: WriteLimits, mostBytes = smallBytes): SmallWrites {
  /**
   * Memory for the encoded points of one small write. Each call of `writePlainly` overwrites the points of the previous
   * call.
   */
  const lent = Buffer.allocUnsafeSlow(mostCopied);
  const noRules = compileDropRules({}, { strictTypes: true });
  let engine: Engine | undefined;
  let making: Promise<Engine> | undefined;
  const make = () =>
    (making ??= makeEngine(wasm).then((made) => {
      engine = made;
      return made;
    }));
  /**
   * Drops the engine (an instance of the library) after an error, because the error may have left the engine's
   * WebAssembly memory in an invalid state. The next write gets a new engine.
   */
  const forget = () => {
    engine = undefined;
    making = undefined;
  };

  /**
   * A promise that resolves when the last queued write is answered. Writes run one after the other. If several
   * writes ran at once, all of them would have data in the memory of the WebAssembly module, and each write would
   * become slower.
   */
  let last: Promise<unknown> = Promise.resolve();
  const answer = (job: WriteJob): Promise<WriteAnswer> => {
    const answered = last.then(() => answerNow(job));
    last = answered.catch(() => {});
    return answered;
  };

  const answerNow = async (job: WriteJob): Promise<WriteAnswer> => {
    try {
      return await answerWrite(await make(), noRules, job, limits);
    } catch (error) {
      forget();
      throw error;
    } finally {
      freeOwn(job.body);
    }
  };

  return {
    takes: (job, filters, isAlone = false) =>
      job.body.length <= (isAlone ? briefBytes : mostBytes)[job.form] &&
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

async function makeEngine(wasm: WebAssembly.Module): Promise<Engine> {
  const { createEngine } = await import("../../create-engine.ts");
  return await createEngine(wasm, { maxSteps: 0 });
}

/**
 * Returns whether the points of the write only have to be decoded and encoded, and the write needs no other processing.
 */
function isPlain({
  encoding,
  strict,
  echo,
  dry,
  earlyTags,
  shardKeys,
  correctsTimes = false,
  sample,
}: WriteJob): boolean {
  return (
    encoding === "" &&
    !strict &&
    echo === undefined &&
    !dry &&
    earlyTags.length === 0 &&
    shardKeys === undefined &&
    sample === undefined &&
    !correctsTimes
  );
}

/**
 * Processes the write as `answerWrite` does, but synchronously. Returns undefined when this function cannot
 * process the write, for example because the encoded points fill more than one batch. `lent` is memory that all
 * small writes share. Encoded points that fit into `lent` are stored there, and the next call overwrites them.
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
    runs: [],
  };
}

/** Copies the bytes into `memory`, or into new memory when `memory` is too small. Returns the copy. */
function copyIn(memory: Buffer, bytes: Uint8Array): Uint8Array {
  if (bytes.length > memory.length) return Buffer.from(bytes);
  memory.set(bytes);
  return memory.subarray(0, bytes.length);
}
