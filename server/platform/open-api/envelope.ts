// What every answer of the Open API is wrapped in (Open API document, 1.2), and the identifier of a request.

import { randomUUID } from "node:crypto";
import type { PageInfo } from "./client/wire.ts";
import type { OpenApiError } from "./errors.ts";
import { JsonText } from "./exact-json.ts";

/** The text of an answer that succeeded; members in alphabetical order. `pageInfo`: of lists only. */
export function successText(content: unknown, traceId: string, pageInfo?: PageInfo): string {
  const page = pageInfo === undefined ? "" : `"pageInfo":${JSON.stringify(pageInfo)},`;
  return `{"code":200,"content":${contentText(content)},"errorCode":"","message":"",${page}"success":true,"traceId":"${traceId}"}`;
}

function contentText(content: unknown): string {
  if (content instanceof JsonText) return content.text;
  if (Array.isArray(content) && content[0] instanceof JsonText) {
    return `[${content.map(({ text }: JsonText) => text).join(",")}]`;
  }
  return JSON.stringify(content);
}

export function failureText({ status, code, message }: OpenApiError, traceId: string): string {
  return `{"code":${status},"content":{},"errorCode":"${code}","message":${JSON.stringify(message)},"success":false,"traceId":"${traceId}"}`;
}

/** That of the client where it sent one that can be echoed. */
export function traceIdOf(sent: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : `TRACE-${randomUUID().toUpperCase()}`;
}
