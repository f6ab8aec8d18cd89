// Reads the body of a request as JSON, with a limit for the size of the body.

import type { IncomingMessage } from "node:http";
import { ApiError, type ErrorCode } from "../errors.ts";
import { readBody } from "./body.ts";
import type { InflightBudget, Reservation } from "./inflight.ts";
import { isTooDeep, maxDepth } from "./json-value.ts";

export { isRecord, isTooDeep } from "./json-value.ts";

export interface JsonBodyOptions {
  readonly maxBytes: number;
  /** Error code of the answer to a body that is not valid JSON. */
  readonly code: ErrorCode;
  /** Beginning of the error message; the reason of the error follows it. */
  readonly prefix?: string;
}

export interface JsonBody {
  readonly value: unknown;
  /**
   * The JSON text of the value. A number above 2^53 has all its digits in this text, whereas the parsed value is
   * rounded.
   */
  readonly text: string;
}

/**
 * Returns the parsed value of a JSON body. The bytes of the body are reserved in the memory budget of request
 * bodies until parsing has ended. Throws ApiError.
 */
export async function readJson(
  request: IncomingMessage,
  { budget, ...options }: JsonBodyOptions & { readonly budget: InflightBudget },
): Promise<unknown> {
  return await budget.hold(request, async (held) => (await readJsonText(request, held, options)).value);
}

/**
 * Returns the parsed value and the text of a JSON body, for callers that pass the text on. The bytes of the body stay
 * reserved in the memory budget until the caller releases the reservation `held`. Throws ApiError.
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
