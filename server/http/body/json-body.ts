// Reads a request's body as JSON, up to a size limit.

import type { IncomingMessage } from "node:http";
import { ApiError, type ErrorCode } from "../errors.ts";
import { readBody } from "./body.ts";
import type { InflightBudget, Reservation } from "./inflight.ts";
import { isTooDeep, maxDepth } from "./json-value.ts";

export { isRecord, isTooDeep } from "./json-value.ts";

export interface JsonBodyOptions {
  readonly maxBytes: number;
  /** Error code for a body that is no JSON. */
  readonly code: ErrorCode;
  /** Text before the reason in the error message. */
  readonly prefix?: string;
}

export interface JsonBody {
  readonly value: unknown;
  /** The text that the value was read from. Only the text has all digits of numbers above 2^53. */
  readonly text: string;
}

/** Returns the value of a JSON body. Its bytes are in flight until they are read. Throws ApiError. */
export async function readJson(
  request: IncomingMessage,
  { budget, ...options }: JsonBodyOptions & { readonly budget: InflightBudget },
): Promise<unknown> {
  return await budget.hold(request, async (held) => (await readJsonText(request, held, options)).value);
}

/**
 * Returns value and text of a JSON body, for callers that pass the text on. Its bytes stay in `held` until the caller
 * releases them. Throws ApiError.
 */
export async function readJsonText(
  request: IncomingMessage,
  held: Reservation,
  { maxBytes, code, prefix = "" }: JsonBodyOptions,
): Promise<JsonBody> {
  try {
    const bytes = await readBody(request, maxBytes, held);
    if (isTooDeep(bytes)) throw new Error(`nested deeper than ${maxDepth}`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { value: JSON.parse(text), text };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(code, `${prefix}${(error as Error).message}`);
  }
}
