// Handles POST /v1/write/<category> without Fastify, the HTTP framework that handles all other requests. Most requests
// are writes, and Fastify's reply objects and hooks cost more than a small write itself. The guards (checks before a
// request is handled) and their order are the same as for all routes; only the code that sends the answer differs.

import type { IncomingMessage, ServerResponse } from "node:http";
import { type CategoryName, categories } from "../../../../lib/point/index.ts";
import { headersOfError, packed } from "../../../http/answer.ts";
import { type ApiError, errorBody } from "../../../http/errors.ts";
import type { WriteAgent } from "../../agent.ts";
import { type Guards, pathOf } from "../../serving/guards.ts";
import { writeQueryOf } from "../write-query.ts";
import { type Echo, takeWrite } from "./write.ts";

/**
 * Handles a request that is a write and returns true. Returns false for any other request, which Fastify must then
 * handle.
 */
export type WriteFront = (raw: IncomingMessage, response: ServerResponse) => boolean;

/** Categories of points by the URL path of a write, such as `/v1/write/metric`. */
export const writtenCategory: ReadonlyMap<string, CategoryName> = new Map(
  categories.map((category) => [`/v1/write/${category}`, category]),
);

export function createWriteFront(agent: WriteAgent, guards: Guards): WriteFront {
  const isAlone = () => guards.underWay === 1;
  return (raw, response) => {
    if (raw.method !== "POST") return false;
    const path = pathOf(raw);
    const category = writtenCategory.get(path);
    if (category === undefined) return false;
    const abort = guards.begin(raw, response, () => path);
    const headers = guards.headersOf(raw, path);
    const refuse = (error: unknown) => sendError(response, headers, guards.refusalOf(error, raw, abort));
    try {
      guards.admit(raw, path, headers, true);
    } catch (error) {
      refuse(error);
      return true;
    }
    const query = writeQueryOf(raw.url!.slice(path.length + 1));
    const contentType = raw.headers["content-type"] ?? "";
    takeWrite(agent, { raw, response, category, query, contentType, abort, isAlone })
      .then((echo) => (echo === undefined ? send(response, 200, headers) : sendEcho(raw, response, headers, echo)))
      .catch(refuse);
    return true;
  };
}

async function sendEcho(raw: IncomingMessage, response: ServerResponse, headers: string[], echo: Echo): Promise<void> {
  const contentType = echo.form === "lp" ? "text/plain; charset=utf-8" : "application/json";
  const { headers: own, bytes } = await packed(raw.headers["accept-encoding"], contentType, echo.bytes);
  send(response, 200, withHeaders(headers, own), bytes);
}

function sendError(response: ServerResponse, headers: string[], error: ApiError): void {
  const body = Buffer.from(errorBody(error.code, error.message));
  send(response, error.status, withHeaders(headers, headersOfError(error)), body);
}

function withHeaders(headers: string[], more: Readonly<Record<string, string>>): string[] {
  for (const [name, value] of Object.entries(more)) headers.push(name, value);
  return headers;
}

/** Sends an answer. Does nothing when the request was already answered with the status 408 (timeout). */
function send(response: ServerResponse, status: number, headers: string[], body?: Uint8Array): void {
  if (response.headersSent || response.destroyed) return;
  headers.push("content-length", String(body?.length ?? 0));
  response.writeHead(status, headers);
  if (body === undefined) response.end();
  else response.end(body);
}
