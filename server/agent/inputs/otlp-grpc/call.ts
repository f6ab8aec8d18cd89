// Answers one gRPC request: checks it, reads its message, stores its points and sends the answer.

import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { shortenedText } from "../../../../lib/text/index.ts";
import { decompress } from "../../../http/body/body.ts";
import type { Reservation } from "../../../http/body/inflight.ts";
import { ApiError } from "../../../http/errors.ts";
import { isSameToken } from "../../../http/guards/token.ts";
import type { Rejected } from "../../ingest/write-request.ts";
import type { FetchingAgent } from "../input.ts";
import { exportAnswer } from "../otlp/answer.ts";
import type { Signal } from "../otlp/points.ts";
import { categoryOf, store, writeOf } from "../otlp/store.ts";
import { usualRequest } from "../receive-body.ts";
import { readMessage, tooLarge } from "./read-message.ts";
import { GrpcError, grpcErrorOf, grpcStatus, trailerText } from "./status.ts";

const signalOf: ReadonlyMap<string, Signal> = new Map([
  ["/opentelemetry.proto.collector.trace.v1.TraceService/Export", "traces"],
  ["/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", "metrics"],
  ["/opentelemetry.proto.collector.logs.v1.LogsService/Export", "logs"],
]);

/** Returns the largest allowed size in bytes of a message, after decompression. */
export function largestMessage({ config }: Pick<FetchingAgent, "config">): number {
  return Math.min(config["inputs.otlp_grpc.max_message_bytes"], config["http_api.max_body_bytes"]);
}

/**
 * Answers a request. The caller aborts the signal `aborted` when the input closes or the request takes too long. Never
 * throws.
 */
export async function answerCall(
  agent: FetchingAgent,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  aborted: AbortSignal,
): Promise<void> {
  if (!/^application\/grpc(?:\+proto)?(?:;|$)/i.test(headers["content-type"] ?? "")) return answerStranger(stream);
  const signal = signalOf.get(headers[":path"] as string);
  try {
    if (signal === undefined) throw unknownMethod(headers);
    checkToken(headers, agent.config["inputs.otlp_grpc.token"]);
    const rejected = await take(agent, stream, headers, signal, aborted);
    if (rejected !== undefined) {
      agent.log.warn(`otlp ${signal}: ${rejected.count} of the points are not kept: ${rejected.reason}`);
    }
    sendMessage(stream, exportAnswer(signal, "protobuf", rejected));
  } catch (error) {
    const refused = grpcErrorOf(error);
    if (signal !== undefined) agent.inputs.refused(labelOf(signal), categoryOf[signal], error);
    if (refused === undefined && !stream.destroyed) agent.log.error("otlp over gRPC", error);
    sendError(stream, refused ?? new GrpcError(grpcStatus.internal, "unexpected error"));
  }
}

const labelOf = (signal: Signal) => `otlp_grpc.${signal}`;

function unknownMethod(headers: IncomingHttpHeaders): GrpcError {
  const path = shortenedText(String(headers[":path"] ?? ""), 128);
  const text = `there is no method ${path}; the Export methods of opentelemetry.proto.collector v1 are taken`;
  return new GrpcError(grpcStatus.unimplemented, text);
}

/** Tells a client that does not speak gRPC which interface to use. */
function answerStranger(stream: ServerHttp2Stream): void {
  if (stream.destroyed || stream.headersSent) return;
  stream.respond({ ":status": 415, "content-type": "text/plain; charset=utf-8" });
  stream.end(
    "this port takes OTLP over gRPC; OTLP over HTTP goes to /v1/traces, /v1/metrics and /v1/logs of the agent\n",
  );
}

/** Checks the token of a request, which happens before the message is read. Throws GrpcError. */
function checkToken({ authorization = "" }: IncomingHttpHeaders, token: string): void {
  if (token === "" || isSameToken(authorization.replace(/^bearer\s+/i, ""), token)) return;
  const text = authorization === "" ? "send the metadata authorization: Bearer TOKEN" : "the token is wrong";
  throw new GrpcError(grpcStatus.unauthenticated, text);
}

async function take(
  agent: FetchingAgent,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  signal: Signal,
  aborted: AbortSignal,
): Promise<Rejected | undefined> {
  const { admission, budget, ingest, now } = agent;
  if (admission.isFull) throw new GrpcError(grpcStatus.unavailable, "too many writes wait for a thread");
  const cap = largestMessage(agent);
  const encoding = headers["grpc-encoding"] ?? "identity";
  if (encoding !== "identity" && encoding !== "gzip") {
    throw new GrpcError(grpcStatus.unimplemented, "grpc-encoding may be identity or gzip");
  }
  const socket = stream.session?.socket;
  if (socket === undefined) throw new GrpcError(grpcStatus.unavailable, "the connection is closed");
  const held = budget.open({ headers, socket });
  try {
    const message = await readMessage(stream, cap, held);
    const body = message.isCompressed ? await plain(message.bytes, cap, held, aborted) : message.bytes;
    // A client that has no data sends an empty message. There is nothing to store then.
    if (body.length === 0) return undefined;
    const write = {
      ...usualRequest,
      ...writeOf(signal, "protobuf", cap),
      body,
      sentBytes: message.bytes.length,
      encoding: "",
      now: now(),
      label: labelOf(signal),
      storageIndex: undefined,
    } as const;
    return await store(ingest, write, { signal: aborted, keep: () => !aborted.aborted });
  } finally {
    held.release();
  }
}

async function plain(bytes: Uint8Array, cap: number, held: Reservation, signal: AbortSignal): Promise<Uint8Array> {
  try {
    return await decompress(bytes, "gzip", cap, held, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.code === "agent.bodyTooLarge") throw tooLarge(cap);
    throw error;
  }
}

const answerHeaders = { ":status": 200, "content-type": "application/grpc+proto" } as const;

function sendMessage(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed || stream.headersSent) return;
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(grpcStatus.ok) }));
  stream.respond(answerHeaders, { waitForTrailers: true });
  stream.end(Buffer.concat([prefix, message]));
}

/** Answers a request with a status other than OK, unless the request was answered before. */
export function sendError(stream: ServerHttp2Stream, { status, message }: GrpcError): void {
  if (stream.destroyed || stream.headersSent) return;
  const trailers = { "grpc-status": String(status), "grpc-message": trailerText(shortenedText(message)) };
  stream.respond({ ...answerHeaders, ...trailers }, { endStream: true });
  // The agent does not read the remainder of the message. The HTTP/2 code NO_ERROR, with which the stream is closed,
  // tells the client to stop sending and to read the answer.
  stream.close();
}
