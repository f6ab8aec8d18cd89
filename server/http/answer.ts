// The forms of an answer (agent document, A.1.7). Bodies go out as bytes, so that the content type stays as written;
// those over 1 KiB are compressed for clients that accept gzip.

import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import { type ApiError, errorBody } from "./errors.ts";

const compress = promisify(gzip);
const worthCompressing = 1024;

export async function answer(
  reply: FastifyReply,
  contentType: string,
  body: string | Uint8Array,
): Promise<FastifyReply> {
  let bytes: Uint8Array = typeof body === "string" ? Buffer.from(body) : body;
  reply.header("content-type", contentType);
  if (bytes.length > worthCompressing && acceptsGzip(reply.request.headers["accept-encoding"])) {
    bytes = await compress(bytes);
    reply.header("content-encoding", "gzip").header("vary", "Accept-Encoding");
  }
  return reply.send(bytes);
}

export function answerJson(reply: FastifyReply, value: unknown): Promise<FastifyReply> {
  reply.header("x-content-type-options", "nosniff");
  return answer(reply, "application/json", JSON.stringify(value));
}

/** `{"content": value}`. */
export function answerContent(reply: FastifyReply, value: unknown): Promise<FastifyReply> {
  return answerJson(reply, { content: value });
}

export function answerError(reply: FastifyReply, error: ApiError): FastifyReply {
  return reply
    .code(error.status)
    .headers(error.headers)
    .header("content-type", "application/json")
    .header("x-content-type-options", "nosniff")
    .send(Buffer.from(errorBody(error.code, error.message)));
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? "")
    .split(",")
    .some((part) => /^\s*(?:gzip|\*)\s*(?:;\s*q\s*=\s*(?!0(?:\.0*)?\s*$).*)?$/i.test(part));
}
