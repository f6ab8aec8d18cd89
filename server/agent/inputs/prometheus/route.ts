// POST /prom_remote_write (docs/reference/agent.md#prometheus-remote-write): accepts the remote writes of a
// Prometheus server. Samples become points of the category `metric`. Labels, URL parameters, and the headers
// listed in the setting `prom_remote_write.header_tags` become tags. When a label and one of the others have the
// same key, the label is used.

import type { FastifyReply } from "fastify";
import type { Reservation } from "../../../http/body/inflight.ts";
import { ApiError } from "../../../http/errors.ts";
import { headerOf } from "../../../http/guards/client.ts";
import { isSameToken } from "../../../http/guards/token.ts";
import type { Agent } from "../../agent.ts";
import type { ExtraTag } from "../../ingest/write-request.ts";
import type { Call, Route } from "../../serving/route.ts";
import type { Input } from "../input.ts";
import { receiveBody, usualRequest } from "../receive-body.ts";
import { type PrometheusConversion, prometheusConverter } from "./converter.ts";

const label = "prom_remote_write";

const promRemoteWrite: Route = {
  method: "POST",
  url: "/prom_remote_write",
  isOn: (config) => config["prom_remote_write.enable"],
  handle: async (agent, call) => {
    if (!isAdmitted(agent, call)) return refused(call.reply);
    try {
      await agent.budget.hold(call.request.raw, (held) => take(agent, call, held));
    } catch (error) {
      agent.inputs.refused(label, "metric", error);
      // A remote write that holds only metadata has no points. An error is not reported, since it would make the client
      // send the same request again.
      if (!(error instanceof ApiError && error.code === "agent.noPoints")) throw error;
    }
    return await call.reply.code(204).send();
  },
};

export const prometheus: Input = {
  name: "Prometheus remote write",
  routes: [promRemoteWrite],
  converter: prometheusConverter,
};

async function take({ config, ingest, admission, tags, now }: Agent, call: Call, held: Reservation): Promise<void> {
  const { request, query } = call;
  const cap = config["prom_remote_write.max_body_size"] || config["http_api.max_body_bytes"];
  const encoding = headerOf(request.raw, "content-encoding");
  const isSnappy = encoding === "" || encoding === "snappy";
  const conversion: PrometheusConversion = { converter: "prometheus", isSnappy, maxBytes: cap, isCounted: false };
  const points = { category: "metric", form: "pbjson", conversion, source: "" } as const;
  const received = await receiveBody(
    admission,
    request.raw,
    { ...points, cap, compression: isSnappy ? "" : encoding },
    held,
    call,
  );
  if (received === undefined) throw new ApiError("agent.emptyBody");
  const named = Object.entries(config["prom_remote_write.header_tags"]).map(
    ([header, tag]): ExtraTag => [tag, headerOf(request.raw, header.toLowerCase())],
  );
  await ingest(
    {
      ...usualRequest,
      ...points,
      ...received,
      now: now(),
      earlyTags: [...query, ...named, ...tags.forWrite(false, true)].filter(
        ([key, value]) => key !== "" && value !== "",
      ),
      hostTags: false,
      label,
    },
    call,
  );
}

/**
 * Checks the user and password of the basic authentication. Compares user and password as one string, in constant time,
 * so that the time of the check tells nothing about the expected values.
 */
function isAdmitted({ config }: Agent, { request }: Call): boolean {
  const user = config["prom_remote_write.basic_username"];
  const password = config["prom_remote_write.basic_password"];
  if (user === "" && password === "") return true;
  const [scheme, credentials = ""] = headerOf(request.raw, "authorization").split(" ");
  return (
    scheme.toLowerCase() === "basic" &&
    isSameToken(Buffer.from(credentials, "base64").toString(), `${user}:${password}`)
  );
}

function refused(reply: FastifyReply): FastifyReply {
  return reply
    .code(401)
    .header("www-authenticate", 'Basic realm="prom_remote_write"')
    .header("content-type", "text/plain; charset=utf-8")
    .send("Unauthorized.");
}
