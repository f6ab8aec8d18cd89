// POST /prom_remote_write (docs/reference/agent.md#prometheus-remote-write): what a Prometheus sends on. Samples become metric points;
// labels, parameters of the URL
// and the headers of prom_remote_write.header_tags become tags, of which labels win.

import type { FastifyReply } from "fastify";
import { encodingOf, readBody } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { headerOf } from "../../http/guards/client.ts";
import { isSameToken } from "../../http/guards/token.ts";
import type { Agent } from "../agent.ts";
import { plainBody } from "../ingest/admission.ts";
import type { ExtraTag } from "../write-messages.ts";
import type { Call, Route } from "./route.ts";

const label = "prom_remote_write";

export const promRemoteWrite: Route = {
  method: "POST",
  url: "/prom_remote_write",
  isOn: (config) => config["prom_remote_write.enable"],
  handle: async (agent, call) => {
    if (!isAdmitted(agent, call)) return refused(call.reply);
    try {
      await agent.budget.hold(call.request.raw, (held) => feed(agent, call, held));
    } catch (error) {
      agent.inputs.refused(label, "metric", error);
      // Metadata alone: nothing to keep, and nothing for the sender to repeat.
      if (!(error instanceof ApiError && error.code === "agent.noPoints")) throw error;
    }
    return await call.reply.code(204).send();
  },
};

async function feed({ config, feed, admission, tags, now }: Agent, call: Call, held: Reservation): Promise<void> {
  const { request, query } = call;
  const cap = config["prom_remote_write.max_body_size"] || config["http_api.max_body_bytes"];
  const encoding = headerOf(request.raw, "content-encoding");
  const isSnappy = encoding === "" || encoding === "snappy";
  const foreign = { kind: "prometheus", isSnappy, maxBytes: cap } as const;
  const points = { category: "metric", form: "pbjson", foreign } as const;
  if (admission.isFull) await admission.admit(request.raw, { ...points, encoding: "", source: "" });
  const sent = await readBody(request.raw, cap, held);
  if (sent.length === 0) throw new ApiError("agent.emptyBody");
  const plain = isSnappy ? "" : encodingOf(encoding);
  const named = Object.entries(config["prom_remote_write.header_tags"]).map(
    ([header, tag]): ExtraTag => [tag, headerOf(request.raw, header.toLowerCase())],
  );
  await feed(
    {
      ...points,
      sentBytes: sent.length,
      body: await plainBody(admission, { bytes: sent, encoding: plain, form: points.form, cap }, held, call),
      encoding: plain === "zstd" ? "zstd" : "",
      precision: "n",
      strict: false,
      echo: undefined,
      dry: false,
      now: now(),
      earlyTags: [...query, ...named, ...tags.forWrite(false, true)].filter(
        ([key, value]) => key !== "" && value !== "",
      ),
      electionTags: false,
      hostTags: false,
      source: "",
      matchesByName: true,
      label,
      storageIndex: undefined,
    },
    call,
  );
}

/** Both texts are compared whatever the first says. */
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
