// POST /v1/traces, /v1/metrics, /v1/logs, and the same paths after /otel (docs/reference/otlp.md): accepts the
// requests that OpenTelemetry SDKs and collectors send over HTTP. All answers, also those to refused requests,
// have the encoding of the request: JSON or protobuf.

import type { FastifyReply } from "fastify";
import { encodingOf } from "../../../http/body/body.ts";
import type { Reservation } from "../../../http/body/inflight.ts";
import { ApiError } from "../../../http/errors.ts";
import { headerOf } from "../../../http/guards/client.ts";
import type { Agent } from "../../agent.ts";
import type { Rejected } from "../../ingest/write-request.ts";
import type { Call, Route } from "../../serving/route.ts";
import type { Input } from "../input.ts";
import { receiveBody, usualRequest } from "../receive-body.ts";
import { storageIndexOf } from "../write-query.ts";
import { exportAnswer, statusAnswer } from "./answer.ts";
import { otlpConverter } from "./converter.ts";
import type { OtlpEncoding, Signal } from "./points.ts";
import { categoryOf, signals, store, writeOf } from "./store.ts";

/**
 * Beginnings of the URL paths of OTLP requests: `/v1`, as in the OTLP standard, and `/otel/v1`, an older path of the
 * agent.
 */
const prefixes = ["/v1", "/otel/v1"] as const;

const routes: readonly Route[] = prefixes.flatMap((prefix) =>
  signals.map(
    (signal): Route => ({
      method: "POST",
      url: `${prefix}/${signal}`,
      isOn: (config) => config["otlp.enable"],
      handle: (agent, call) => handle(agent, call, signal),
    }),
  ),
);

export const otlp: Input = { name: "OpenTelemetry", routes, converter: otlpConverter };

async function handle(agent: Agent, call: Call, signal: Signal): Promise<FastifyReply> {
  const { reply } = call;
  const encoding = encodingFor(call.contentType);
  if (encoding === undefined) return await reply.code(400).send();
  try {
    const rejected = await agent.budget.hold(call.request.raw, (held) => take(agent, call, { signal, encoding, held }));
    if (rejected !== undefined) {
      agent.log.warn(`otlp ${signal}: ${rejected.count} of the points are not kept: ${rejected.reason}`);
    }
    return await send(
      reply,
      Number(agent.config["otlp.http_status_ok"]),
      encoding,
      exportAnswer(signal, encoding, rejected),
    );
  } catch (error) {
    agent.inputs.refused(labelOf(signal), categoryOf[signal], error);
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, headers } = error;
    return await send(reply.headers(headers), status, encoding, statusAnswer(encoding, status, code, message));
  }
}

const labelOf = (signal: Signal) => `otlp.${signal}`;

/**
 * Receives the body of an OTLP request and stores its points. Returns the items of the request that were not
 * accepted.
 */
async function take(
  { config, ingest, admission, now }: Agent,
  call: Call,
  { signal, encoding, held }: { readonly signal: Signal; readonly encoding: OtlpEncoding; readonly held: Reservation },
): Promise<Rejected | undefined> {
  const { request, query } = call;
  const cap = config["http_api.max_body_bytes"];
  const compression = encodingOf(headerOf(request.raw, "content-encoding").replace(/^identity$/, ""));
  const points = { ...writeOf(signal, encoding, cap), source: query.get("source") ?? "" };
  const received = await receiveBody(admission, request.raw, { ...points, cap, compression }, held, call);
  if (received === undefined) {
    // In protobuf, a request without any data has an empty body, so an empty body is accepted.
    if (encoding === "protobuf") return undefined;
    throw new ApiError("agent.emptyBody");
  }
  const storageIndex = signal === "logs" ? storageIndexOf(query.get("storage_index") ?? "") : undefined;
  const write = { ...usualRequest, ...points, ...received, now: now(), label: labelOf(signal), storageIndex };
  return await store(ingest, write, call);
}

function encodingFor(contentType: string): OtlpEncoding | undefined {
  switch (contentType.split(";")[0].trim().toLowerCase()) {
    case "application/x-protobuf":
      return "protobuf";
    case "application/json":
      return "json";
    default:
      return undefined;
  }
}

function send(reply: FastifyReply, status: number, encoding: OtlpEncoding, body: Uint8Array): FastifyReply {
  const contentType = encoding === "json" ? "application/json" : "application/x-protobuf";
  return reply.code(status).headers({ "content-type": contentType, "x-content-type-options": "nosniff" }).send(body);
}
