// What every answer of the Open API is wrapped in (Open API document, 1.2), and the identifier of a request.

import { randomUUID } from "node:crypto";
import type { OpenApiError } from "./errors.ts";
import type { PageInfo } from "./page.ts";

/** The text of an answer that succeeded; members in alphabetical order. `pageInfo`: of lists only. */
export function successText(content: unknown, traceId: string, pageInfo?: PageInfo): string {
  const page = pageInfo === undefined ? "" : `"pageInfo":${JSON.stringify(pageInfo)},`;
  return `{"code":200,"content":${JSON.stringify(content)},"errorCode":"","message":"",${page}"success":true,"traceId":"${traceId}"}`;
}

export function failureText({ status, code, message }: OpenApiError, traceId: string): string {
  return `{"code":${status},"content":{},"errorCode":"${code}","message":${JSON.stringify(message)},"success":false,"traceId":"${traceId}"}`;
}

/** That of the client where it sent one that can be echoed. */
export function traceIdOf(sent: string): string {
  return /^[A-Za-z0-9_-]{1,64}$/.test(sent) ? sent : `TRACE-${randomUUID().toUpperCase()}`;
}
