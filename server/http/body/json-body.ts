// A request's body as JSON, under a cap.

import type { IncomingMessage } from "node:http";
import { ApiError, type ErrorCode } from "../errors.ts";
import { readBody } from "./body.ts";
import type { InflightBudget, Reservation } from "./inflight.ts";
import { isTooDeep, maxDepth } from "./json-value.ts";

export { isRecord, isTooDeep } from "./json-value.ts";

export interface JsonBodyOptions {
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

/** In flight until it is read. */
export async function readJson(
  request: IncomingMessage,
  { budget, ...options }: JsonBodyOptions & { readonly budget: InflightBudget },
): Promise<unknown> {
  return await budget.hold(request, async (held) => (await readJsonText(request, held, options)).value);
}

/** For those who hand the text on: it is in flight as long as they hold it. */
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
