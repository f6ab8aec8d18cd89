// Processes a write, beginning with the bytes of its body, and returns the answer to the client. Decompresses
// and converts the body, and processes the points. When the decoder throws an error, the answer is a refusal.
// This code runs on the main thread or on a worker thread.

import type { DropRules } from "../../../lib/filter/index.ts";
import { WrittenTooMuch } from "../../http/body/written-bytes.ts";
import { decompressZstd, ZstdTooLarge } from "../../http/body/zstd.ts";
import { type Engine, PointError, TooManyPoints } from "../engine.ts";
import { ConversionError, type Converter, type Converters, PointsTooLarge } from "./converter.ts";
import { processWrite, type WriteLimits } from "./job.ts";
import type { WriteAnswer, WriteJob } from "./write-job.ts";

/** Error codes of bodies that the decoder refuses, by wire format. */
const refusals = {
  "line-protocol": "agent.invalidLinePoint",
  json: "agent.invalidJsonPoint",
  protobuf: "agent.invalidProtobufPoint",
} as const;

const logsHint = "; JSON logs of any form go to POST /v1/write/logstreaming";

export async function answerWrite(
  engine: Engine,
  rules: DropRules,
  job: WriteJob,
  limits: WriteLimits,
): Promise<WriteAnswer> {
  const converter = converterOf(job, limits.converters);
  let body = job.body;
  if (job.encoding === "zstd") {
    try {
      body = decompressZstd(body, job.maxBodyBytes);
    } catch (error) {
      return error instanceof ZstdTooLarge
        ? { ok: false, code: "agent.bodyTooLarge", message: `body exceeds ${job.maxBodyBytes} bytes` }
        : { ok: false, code: "agent.decodeBodyFailed", message: "" };
    }
  }
  try {
    if (converter === undefined) return await processWrite(engine, rules, job, body, limits);
    return await answerConverted(engine, rules, job, limits, converter, body);
  } catch (error) {
    return refusalOf(error, converter);
  }
}

/**
 * Converts the body and processes its points. When the decoder refuses some lines, the converter may remove them, and
 * the remaining lines are processed again. This is safe, because no point is stored and no script runs before all lines
 * are decoded.
 */
async function answerConverted(
  engine: Engine,
  rules: DropRules,
  job: WriteJob,
  limits: WriteLimits,
  converter: Converter,
  body: Uint8Array,
): Promise<WriteAnswer> {
  const { points, ...report } = converter.convert(body, job.conversion!, job.maxPoints);
  try {
    return { ...(await processWrite(engine, rules, job, points, limits)), report };
  } catch (error) {
    const left = error instanceof PointError ? converter.withoutFailures?.(points, error) : undefined;
    if (left === undefined) throw error;
    const { points: others, ...its } = left;
    return { ...(await processWrite(engine, rules, job, others, limits)), report: its };
  }
}

function converterOf({ conversion }: WriteJob, converters: Converters | undefined): Converter | undefined {
  if (conversion === undefined) return undefined;
  const found = converters?.get(conversion.converter);
  if (found === undefined) throw new Error(`this thread has no converter "${conversion.converter}"`);
  return found;
}

/**
 * Returns the refusal of a write for an error of the converter or the decoder, or for an exceeded limit. Throws all
 * other errors.
 */
export function refusalOf(error: unknown, converter?: Converter): WriteAnswer {
  if (error instanceof ConversionError && converter?.refusal !== undefined) {
    const { code, prefix } = converter.refusal;
    return { ok: false, code, message: `${prefix}${error.message}` };
  }
  if (error instanceof PointsTooLarge) return { ok: false, code: "agent.bodyTooLarge", message: error.message };
  if (error instanceof TooManyPoints || error instanceof WrittenTooMuch) {
    const setting = error instanceof TooManyPoints ? "max_points" : "max_growth";
    return { ok: false, code: "agent.bodyTooLarge", message: `${error.message} ([http_api] ${setting})` };
  }
  if (!(error instanceof PointError)) throw error;
  const hint = error.hasNoParts ? logsHint : "";
  return { ok: false, code: refusals[error.form], message: `${error.message}${hint}` };
}
