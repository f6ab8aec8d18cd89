// Bodies that are no form of points, made one: log streams and Prometheus remote writes (agent document, A.14).

import { logsAsJson, StreamError } from "./log-stream.ts";
import { prometheusPoints } from "./prometheus/points.ts";
import { WriteRequestError } from "./prometheus/write-request.ts";
import type { ForeignBody, WriteAnswer } from "./protocol.ts";

/** Points in the form of the job: JSON of logs, PBJSON of samples. Throws what `foreignRefusal` knows. */
export function foreignPoints(body: Uint8Array, foreign: ForeignBody): Uint8Array {
  return foreign.kind === "prometheus"
    ? prometheusPoints(body, foreign.isSnappy, foreign.maxBytes)
    : logsAsJson(body, foreign.kind, foreign.source);
}

/** The answer to a body that is not what it should be; undefined when the error is another one. */
export function foreignRefusal(error: unknown): WriteAnswer | undefined {
  if (error instanceof StreamError) return { ok: false, code: "agent.invalidJsonPoint", message: error.message };
  if (error instanceof WriteRequestError) {
    return { ok: false, code: "agent.invalidProtobufPoint", message: `remote write: ${error.message}` };
  }
  return undefined;
}
