// POST /otel/v1/traces, /otel/v1/metrics, /otel/v1/logs (docs/reference/otlp.md): accepts the requests that
// OpenTelemetry SDKs and collectors send over HTTP. Answers and refusals are encoded as the request is: in JSON or
// protobuf.

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
import { type OtlpConversion, otlpConverter } from "./converter.ts";
import type { OtlpEncoding, Signal } from "./points.ts";

const categories = { traces: "tracing", metrics: "metric", logs: "logging" } as const;

const routes: readonly Route[] = (Object.keys(categories) as Signal[]).map((signal) => ({
  method: "POST",
  url: `/otel/v1/${signal}`,
  isOn: (config) => config["otlp.enable"],
  handle: (agent, call) => handle(agent, call, signal),
}));

export const otlp: Input = { name: "OpenTelemetry", routes, converter: otlpConverter };

/** Largest size of the points made of a request, as a multiple of the largest allowed size of a body. */
const growth = 4;

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
    agent.inputs.refused(labelOf(signal), categories[signal], error);
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, headers } = error;
    return await send(reply.headers(headers), status, encoding, statusAnswer(encoding, status, code, message));
  }
}

const labelOf = (signal: Signal) => `otlp.${signal}`;

/** Takes the points of a request. Returns the items of the request that were not accepted. */
async function take(
  { config, ingest, admission, now }: Agent,
  call: Call,
  { signal, encoding, held }: { readonly signal: Signal; readonly encoding: OtlpEncoding; readonly held: Reservation },
): Promise<Rejected | undefined> {
  const { request, query } = call;
  const cap = config["http_api.max_body_bytes"];
  const compression = encodingOf(headerOf(request.raw, "content-encoding").replace(/^identity$/, ""));
  const conversion: OtlpConversion = {
    converter: "otlp",
    signal,
    encoding,
    maxBytes: growth * cap,
    isCounted: false,
  };
  const points = {
    category: categories[signal],
    form: "pbjson",
    conversion,
    source: query.get("source") ?? "",
  } as const;
  const received = await receiveBody(
    admission,
    request.raw,
    { ...points, encoding: "", cap, compression: () => compression },
    held,
    call,
  );
  if (received === undefined) {
    // In protobuf, a request without any data has an empty body, so an empty body is accepted.
    if (encoding === "protobuf") return undefined;
    throw new ApiError("agent.emptyBody");
  }
  let rejected: Rejected | undefined;
  try {
    await ingest(
      {
        ...usualRequest,
        ...points,
        ...received,
        now: now(),
        label: labelOf(signal),
        storageIndex: signal === "logs" ? storageIndexOf(query.get("storage_index") ?? "") : undefined,
      },
      call,
      (report) => {
        rejected = report.rejected;
      },
    );
  } catch (error) {
    // The request has no points, or none that can be kept. An error is not reported, since it would make the client
    // send the same request again.
    if (!(error instanceof ApiError && error.code === "agent.noPoints")) throw error;
  }
  return rejected;
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
