// Parses the body of a request and checks its content type (docs/reference/open-api.md#the-envelope).

import { isTooDeep } from "../../../http/body/json-value.ts";
import { OpenApiError } from "./errors.ts";

/**
 * Returns the parsed JSON body. An empty body and `null` count as `{}`, because there are clients that send them
 * with requests that need no parameters.
 */
export function parsedBody(bytes: Uint8Array, contentType: string): unknown {
  if (bytes.length === 0) return {};
  if (contentType.split(";")[0]!.trim().toLowerCase() !== "application/json") {
    throw new OpenApiError("InvalidContentType");
  }
  try {
    if (isTooDeep(bytes)) throw new Error("nested too deep");
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) ?? {};
  } catch (error) {
    throw invalidJson((error as Error).message);
  }
}

export function invalidJson(reason: string): OpenApiError {
  return new OpenApiError("InvalidJSON", `Request body is not valid JSON: ${reason}`);
}

export function tooSlow(minBytesPerSecond: number, headers: Readonly<Record<string, string>>): OpenApiError {
  const message = `Request body comes with less than ${minBytesPerSecond} bytes per second.`;
  return new OpenApiError("RequestTooSlow", message, { headers });
}

export function tooLarge(cap: number): OpenApiError {
  return new OpenApiError("RequestTooLarge", `Request body is larger than ${cap} bytes.`);
}
