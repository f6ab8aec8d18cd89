// POST /otel/v1/traces, /otel/v1/metrics, /otel/v1/logs (docs/reference/otlp.md): what OpenTelemetry SDKs and
// collectors send over HTTP. Answers, refusals too, are in the encoding of the request.

import type { FastifyReply } from "fastify";
import { encodingOf, readBody } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { headerOf } from "../../http/guards/client.ts";
import type { Agent } from "../agent.ts";
import { plainBody } from "../ingest/admission.ts";
import { storageIndexOf } from "../ingest/query.ts";
import { exportAnswer, statusAnswer } from "../inputs/otlp/answer.ts";
import type { Rejected } from "../inputs/otlp/common.ts";
import type { OtlpEncoding, Signal } from "../inputs/otlp/points.ts";
import type { Call, Route } from "./route.ts";

const categories = { traces: "tracing", metrics: "metric", logs: "logging" } as const;

export const otlp: readonly Route[] = (Object.keys(categories) as Signal[]).map((signal) => ({
  method: "POST",
  url: `/otel/v1/${signal}`,
  isOn: (config) => config["otlp.enable"],
  handle: (agent, call) => handle(agent, call, signal),
}));

/** What the points of a request may take, as a multiple of its largest body. */
const growth = 4;

async function handle(agent: Agent, call: Call, signal: Signal): Promise<FastifyReply> {
  const { reply } = call;
  const encoding = encodingFor(call.contentType);
  if (encoding === undefined) return await reply.code(400).send();
  try {
    const rejected = await agent.budget.hold(call.request.raw, (held) => feed(agent, call, { signal, encoding, held }));
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

/** Gives what was not taken of it. */
async function feed(
  { config, feed, admission, now }: Agent,
  call: Call,
  { signal, encoding, held }: { readonly signal: Signal; readonly encoding: OtlpEncoding; readonly held: Reservation },
): Promise<Rejected | undefined> {
  const { request, query } = call;
  const cap = config["http_api.max_body_bytes"];
  const compression = encodingOf(headerOf(request.raw, "content-encoding").replace(/^identity$/, ""));
  const foreign = { kind: "otlp", signal, encoding, maxBytes: growth * cap } as const;
  const points = { category: categories[signal], form: "pbjson", foreign } as const;
  const source = query.get("source") ?? "";
  if (admission.isFull) await admission.admit(request.raw, { ...points, encoding: "", source });
  const sent = await readBody(request.raw, cap, held);
  // In protobuf a request of nothing has no bytes.
  if (sent.length === 0 && encoding === "protobuf") return undefined;
  if (sent.length === 0) throw new ApiError("agent.emptyBody");
  let rejected: Rejected | undefined;
  try {
    await feed(
      {
        ...points,
        sentBytes: sent.length,
        body: await plainBody(admission, { bytes: sent, encoding: compression, form: points.form, cap }, held, call),
        encoding: compression === "zstd" ? "zstd" : "",
        precision: "n",
        strict: false,
        echo: undefined,
        dry: false,
        now: now(),
        earlyTags: [],
        electionTags: false,
        hostTags: true,
        source,
        matchesByName: true,
        label: labelOf(signal),
        storageIndex: signal === "logs" ? storageIndexOf(query.get("storage_index") ?? "") : undefined,
        onRejected: (its) => {
          rejected = its;
        },
      },
      call,
    );
  } catch (error) {
    // Nothing to keep, or nothing that could be kept: no reason to send it again.
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
