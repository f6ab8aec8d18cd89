// A request's body as JSON, under a cap.

import type { IncomingMessage } from "node:http";
import { readBody } from "./body.ts";
import { ApiError, type ErrorCode } from "./errors.ts";
import type { InflightBudget } from "./inflight.ts";
import { isTooDeep, maxDepth } from "./json-value.ts";

export { isRecord, isTooDeep } from "./json-value.ts";

export interface JsonBodyOptions {
  readonly budget: InflightBudget;
  readonly maxBytes: number;
  /** Of the refusal of what is no JSON. */
  readonly code: ErrorCode;
  /** Before the reason. */
  readonly prefix?: string;
}

export interface JsonBody {
  readonly value: unknown;
  /** What the value was read from: numbers above 2^53 have their digits only here. */
  readonly text: string;
}

export async function readJson(request: IncomingMessage, options: JsonBodyOptions): Promise<unknown> {
  return (await readJsonText(request, options)).value;
}

export async function readJsonText(
  request: IncomingMessage,
  { budget, maxBytes, code, prefix = "" }: JsonBodyOptions,
): Promise<JsonBody> {
  try {
    return await budget.hold(async (held) => {
      const bytes = await readBody(request, maxBytes, held);
      if (isTooDeep(bytes)) throw new Error(`nested deeper than ${maxDepth}`);
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      return { value: JSON.parse(text), text };
    });
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(code, `${prefix}${(error as Error).message}`);
  }
}
