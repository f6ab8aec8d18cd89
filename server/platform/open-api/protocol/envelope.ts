// What every answer of the Open API is wrapped in (docs/reference/open-api.md#the-envelope), and the identifier of a request.

import { safeJson } from "../../../http/errors.ts";
import { newUuid } from "../../metadata/ids.ts";
import type { Performed } from "./dispatch.ts";
import type { OpenApiError } from "./errors.ts";
import { JsonText } from "./exact-json.ts";

/** The text of an answer that succeeded; members in alphabetical order. */
export function successText({ content, pageInfo }: Performed, traceId: string): string {
  const page = pageInfo === undefined ? "" : `"pageInfo":${JSON.stringify(pageInfo)},`;
  return `{"code":200,"content":${content},"errorCode":"","message":"",${page}"success":true,"traceId":"${traceId}"}`;
}

/** What a handler gave, as JSON. */
export function contentText(content: unknown): string {
  if (content instanceof JsonText) return content.text;
  if (Array.isArray(content) && content[0] instanceof JsonText) {
    return `[${content.map(({ text }: JsonText) => text).join(",")}]`;
  }
  return JSON.stringify(content);
}

/** `message`: the error's own, or what stands for it in the client's language. */
export function failureText({ status, code }: OpenApiError, message: string, traceId: string): string {
  return `{"code":${status},"content":{},"errorCode":"${code}","message":${safeJson(message)},"success":false,"traceId":"${traceId}"}`;
}

/** That of the client where it sent one that can be echoed. */
export function traceIdOf(sent: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : `TRACE-${newUuid().toUpperCase()}`;
}
