// A request's body as JSON, under a cap.

import type { IncomingMessage } from "node:http";
import { readBody } from "./body.ts";
import { ApiError, type ErrorCode } from "./errors.ts";
import type { InflightBudget } from "./inflight.ts";

export interface JsonBodyOptions {
  readonly budget: InflightBudget;
  readonly maxBytes: number;
  /** Of the refusal of what is no JSON. */
  readonly code: ErrorCode;
  /** Before the reason. */
  readonly prefix?: string;
}

export async function readJson(
  request: IncomingMessage,
  { budget, maxBytes, code, prefix = "" }: JsonBodyOptions,
): Promise<unknown> {
  const held = budget.reserve();
  try {
    const bytes = await readBody(request, maxBytes, held);
    if (isTooDeep(bytes)) throw new Error(`nested deeper than ${maxDepth}`);
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(code, `${prefix}${(error as Error).message}`);
  } finally {
    held.release();
  }
}

/** Whoever walks the value may do so by recursion. */
const maxDepth = 1000;

/** Of JSON text; of any other text the answer means nothing. */
export function isTooDeep(bytes: Uint8Array): boolean {
  return extentOf(bytes).depth > maxDepth;
}

/**
 * How deep JSON text is nested, and about how many values it holds: what reading it will cost. Of any other text the answer
 * means nothing.
 */
export function extentOf(bytes: Uint8Array): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inText) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x2c) values++;
    else if (byte === 0x5b || byte === 0x7b) {
      values++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return { depth: deepest, values };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
