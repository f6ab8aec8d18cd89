// Sends answers to HTTP requests (docs/reference/agent.md#answers). Bodies are sent as bytes, so that Fastify does not
// change the content type. Bodies over 1 KiB are compressed for clients that accept gzip.

import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import { shownText } from "../../lib/text/index.ts";
import { type ApiError, errorBody, safeJson } from "./errors.ts";

const compress = promisify(gzip);
const worthCompressing = 1024;

export async function answer(
  reply: FastifyReply,
  contentType: string,
  body: string | Uint8Array,
): Promise<FastifyReply> {
  const { headers, bytes } = await packed(reply.request.headers["accept-encoding"], contentType, body);
  return reply.headers(headers).send(bytes);
}

/** Returns the headers and the body of an answer. Compresses the body when it is long and the client accepts gzip. */
export async function packed(
  accepted: string | string[] | undefined,
  contentType: string,
  body: string | Uint8Array,
): Promise<{ readonly headers: Record<string, string>; readonly bytes: Uint8Array }> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const headers = { "content-type": contentType };
  if (bytes.length <= worthCompressing || !(accepts(accepted, "gzip") || accepts(accepted, "*")))
    return { headers, bytes };
  return {
    headers: { ...headers, "content-encoding": "gzip", vary: "Accept-Encoding" },
    bytes: await compress(bytes),
  };
}

export function answerJson(reply: FastifyReply, value: unknown): Promise<FastifyReply> {
  reply.header("x-content-type-options", "nosniff");
  return answer(reply, "application/json", safeJson(value));
}

/**
 * Sends the answer of a readiness check: `{"status": "ready"}` when there are no problems, otherwise the status
 * 503 and the problems.
 */
export function answerReady(reply: FastifyReply, problems: readonly string[]): Promise<FastifyReply> {
  if (problems.length === 0) return answerJson(reply, { status: "ready" });
  return answerJson(reply.code(503), { status: "not ready", problems: problems.map((each) => shownText(each)) });
}

/** Sends the answer `{"content": value}`. */
export function answerContent(reply: FastifyReply, value: unknown): Promise<FastifyReply> {
  return answerJson(reply, { content: value });
}

export function answerError(reply: FastifyReply, error: ApiError): FastifyReply {
  return reply
    .code(error.status)
    .headers(headersOfError(error))
    .send(Buffer.from(errorBody(error.code, error.message)));
}

/** Sends an error as the answer to a request that Fastify does not handle. */
export function sendError(response: ServerResponse, error: ApiError): void {
  const body = Buffer.from(errorBody(error.code, error.message));
  response.writeHead(error.status, { ...headersOfError(error), "content-length": body.length }).end(body);
}

export function headersOfError(error: ApiError): Record<string, string> {
  return { ...error.headers, "content-type": "application/json", "x-content-type-options": "nosniff" };
}

/**
 * Returns whether the header `Accept-Encoding` allows an encoding, that is, names it with a weight that is not
 * zero. `encoding` may also be the wildcard `*`.
 */
export function accepts(header: string | string[] | undefined, encoding: "gzip" | "br" | "*"): boolean {
  return String(header ?? "")
    .split(",")
    .some((part) => {
      const [, name = "", weight = "1"] = /^\s*([^\s;]+)\s*(?:;\s*q\s*=\s*(.*))?$/i.exec(part) ?? [];
      return name.toLowerCase() === encoding && !/^0(?:\.0*)?\s*$/.test(weight);
    });
}
