// Writes the envelope, the JSON object that wraps every answer of the Open API
// (docs/reference/open-api.md#the-envelope), and chooses the trace id of a request.

import { safeJson } from "../../../http/errors.ts";
import { newUuid } from "../../metadata/ids.ts";
import type { Performed } from "./dispatch.ts";
import type { OpenApiError } from "./errors.ts";
import { JsonText } from "./exact-json.ts";

/** Returns the JSON text of a successful answer. Its members are in alphabetical order. */
export function successText({ content, pageInfo }: Performed, traceId: string): string {
  const page = pageInfo === undefined ? "" : `"pageInfo":${JSON.stringify(pageInfo)},`;
  return `{"code":200,"content":${content},"errorCode":"","message":"",${page}"success":true,"traceId":"${traceId}"}`;
}

/** Returns the JSON text of a result that a handler has returned. */
export function contentText(content: unknown): string {
  if (content instanceof JsonText) return content.text;
  if (Array.isArray(content) && content[0] instanceof JsonText) {
    return `[${content.map(({ text }: JsonText) => text).join(",")}]`;
  }
  return JSON.stringify(content);
}

/** Returns the JSON of an error answer. `message`: the message in the client's language. */
export function failureText({ status, code }: OpenApiError, message: string, traceId: string): string {
  return `{"code":${status},"content":{},"errorCode":"${code}","message":${safeJson(message)},"success":false,"traceId":"${traceId}"}`;
}

/**
 * Returns the trace id that the client has sent if an answer can safely contain it. Otherwise returns a new
 * trace id.
 */
export function traceIdOf(sent: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : `TRACE-${newUuid().toUpperCase()}`;
}
