// The body of a request: its type, its size, its JSON (Open API document, 1.1, 1.4).

import type { IncomingMessage } from "node:http";
import { decompress, encodingOf, readBody } from "../../http/body.ts";
import { headerOf } from "../../http/client.ts";
import { ApiError } from "../../http/errors.ts";
import type { InflightBudget } from "../../http/inflight.ts";
import { isTooDeep } from "../../http/json-body.ts";
import { OpenApiError } from "./errors.ts";

/** What was sent; `{}` for an empty body and for `null`, which are requests without parameters. */
export async function readJsonBody(request: IncomingMessage, budget: InflightBudget, cap: number): Promise<unknown> {
  const held = budget.reserve();
  try {
    if (!mayHaveBody(request)) return {};
    const bytes = await decompress(
      await readBody(request, cap, held),
      encodingOf(headerOf(request, "content-encoding")),
      cap,
      held,
    );
    if (bytes.length === 0) return {};
    if (!isJsonType(headerOf(request, "content-type"))) throw new OpenApiError("InvalidContentType");
    return parsed(bytes) ?? {};
  } catch (error) {
    throw error instanceof ApiError ? translated(error, cap) : error;
  } finally {
    held.release();
  }
}

function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

function isJsonType(header: string): boolean {
  return header.split(";")[0].trim().toLowerCase() === "application/json";
}

function parsed(bytes: Uint8Array): unknown {
  try {
    if (isTooDeep(bytes)) throw new Error("nested too deep");
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw invalidJson((error as Error).message);
  }
}

function invalidJson(reason: string): OpenApiError {
  return new OpenApiError("InvalidJSON", `Request body is not valid JSON: ${reason}`);
}

/** Errors of the code that all services share, in the words of this interface. */
function translated(error: ApiError, cap: number): OpenApiError {
  switch (error.code) {
    case "agent.bodyTooLarge":
      return new OpenApiError("RequestTooLarge", `Request body is larger than ${cap} bytes.`);
    case "agent.decodeBodyFailed":
      return invalidJson("its compression cannot be undone");
    default:
      return new OpenApiError("InternalError", undefined, { headers: error.headers });
  }
}
