// POST /v1/lasterror (docs/reference/agent.md#last-errors): stores an error that a client reports, for /metrics.

import { shortenedText } from "../../../lib/text/index.ts";
import { isRecord, readJson } from "../../http/body/json-body.ts";
import { ApiError } from "../../http/errors.ts";
import type { Agent } from "../agent.ts";
import { type ReportedError, reportError } from "../last-errors.ts";
import type { Route } from "../serving/route.ts";

const maxBytes = 64 * 1024;
/**
 * Largest number of errors that are kept. Clients choose the labels of an error, and each set of labels costs memory,
 * so only the latest errors are kept.
 */
const maxErrors = 200;
const known = new WeakMap<Agent["metrics"], Map<string, ReportedError>>();

export const lastError: Route = {
  method: "POST",
  url: "/v1/lasterror",
  handle: async (agent, { request, reply }) => {
    const { budget, metrics } = agent;
    const body = await readJson(request.raw, { budget, maxBytes, code: "agent.invalidJSON" });
    if (!isRecord(body)) throw new ApiError("agent.invalidJSON", "an object is expected");
    const text = (name: string) => {
      const value = body[name] ?? "";
      if (typeof value !== "string") throw new ApiError("agent.invalidJSON", `${name} is not a string`);
      return shortenedText(value);
    };
    const input = text("input");
    const error = text("err_content");
    if (input === "" || error === "") throw new ApiError("agent.inputOrErrcontentCanNotBeNil");
    const labels = { input, source: text("source") || input, category: "unknown", error };

    let errors = known.get(metrics);
    if (errors === undefined) known.set(metrics, (errors = new Map()));
    const key = JSON.stringify(labels);
    errors.delete(key);
    errors.set(key, labels);
    if (errors.size > maxErrors) {
      const [oldest, gone] = errors.entries().next().value!;
      errors.delete(oldest);
      metrics.lastErrors.remove(gone);
    }
    reportError(metrics, labels);
    return reply.send();
  },
};
