// Provides the Open API on the platform's HTTP server. Reads and decompresses request bodies within the limits
// of the platform, and compresses answers.

import { maxHeaderSize } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { answer } from "../../../http/answer.ts";
import { decompressInTurns, encodingOf, readBody } from "../../../http/body/body.ts";
import type { InflightBudget } from "../../../http/body/inflight.ts";
import { ApiError } from "../../../http/errors.ts";
import { headerOf } from "../../../http/guards/client.ts";
import type { ClientError, ClientErrorAnswer } from "../../../http/guards/client-error.ts";
import type { OpenApi } from "./dispatch.ts";
import { failureText, traceIdOf } from "./envelope.ts";
import { OpenApiError } from "./errors.ts";
import { invalidJson, tooLarge, tooSlow } from "./read-body.ts";

export type ServedOpenApi = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export function serveOpenApi(openApi: OpenApi, budget: InflightBudget): ServedOpenApi {
  return async ({ raw }, reply) => {
    const { status, headers, text } = await openApi({
      method: raw.method ?? "",
      url: raw.url ?? "",
      header: (name) => headerOf(raw, name.toLowerCase()),
      body: (cap) => bodyOf(raw, budget, cap),
    });
    const { "content-type": type, ...others } = headers;
    reply.code(status).headers(others);
    return type === undefined ? reply.send() : await answer(reply, type, text);
  };
}

/** Returns the error answer to a request that Node's HTTP parser refused. */
export function openApiClientError({ status, reason }: ClientError): ClientErrorAnswer {
  const refusal =
    reason === "HPE_INVALID_METHOD"
      ? new OpenApiError("MethodNotAllowed", undefined, { headers: { Allow: "GET, POST" } })
      : status === 431
        ? new OpenApiError("RequestTooLarge", `Request headers are larger than ${maxHeaderSize} bytes.`, { status })
        : new OpenApiError("InvalidParameter", `request: ${status === 408 ? "not sent in time" : "no HTTP"}`, {
            status,
          });
  return answerOf(refusal);
}

/** Returns the error answer for an unexpected exception. */
export function openApiInternalError(): ClientErrorAnswer {
  return answerOf(new OpenApiError("InternalError"));
}

function answerOf(refusal: OpenApiError): ClientErrorAnswer {
  const traceId = traceIdOf("");
  return {
    status: refusal.status,
    headers: { ...refusal.headers, "X-Trace-Id": traceId },
    body: failureText(refusal, refusal.message, traceId),
  };
}

type Incoming = FastifyRequest["raw"];

async function bodyOf(request: Incoming, budget: InflightBudget, cap: number): Promise<Uint8Array> {
  if (!mayHaveBody(request)) return new Uint8Array(0);
  try {
    return await budget.hold(request, async (held) => {
      const sent = await readBody(request, cap, held);
      return await decompressInTurns(sent, encodingOf(headerOf(request, "content-encoding")), cap, held);
    });
  } catch (error) {
    throw error instanceof ApiError ? translated(error, cap, budget.minBytesPerSecond) : error;
  }
}

function mayHaveBody({ headers }: Incoming): boolean {
  return headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
}

/**
 * Converts an error into an error of the Open API. The original error was thrown by one of the modules
 * (server/http) that agent, gateway and platform share.
 */
function translated(error: ApiError, cap: number, minBytesPerSecond: number): OpenApiError {
  switch (error.code) {
    case "agent.bodyTooLarge":
      return tooLarge(cap);
    case "agent.bodyTooSlow":
      return tooSlow(minBytesPerSecond, error.headers);
    case "agent.decodeBodyFailed":
      return invalidJson("its compression cannot be undone");
    default:
      return new OpenApiError("InternalError", undefined, { headers: error.headers });
  }
}
