// The routes of Elasticsearch's interfaces (docs/inputs.md#elasticsearch): bulk requests, and the requests that senders
// make when they start. Each route exists twice: under Elasticsearch's own path, and under that path with the prefix
// `/elasticsearch`.

import { discard } from "../../../http/body/body.ts";
import { safeJson } from "../../../http/errors.ts";
import { headerOf } from "../../../http/guards/client.ts";
import type { Agent } from "../../agent.ts";
import type { Call, Route } from "../../serving/route.ts";
import type { Input } from "../input.ts";
import { type PushAnswer, PushRefusal } from "../push/push.ts";
import { noteInMetrics } from "../push/push-metrics.ts";
import { type PushRouteOptions, pushRoute } from "../push/push-route.ts";
import { pointGrowth, takePush } from "../push/take-push.ts";
import { type BulkConversion, bulkConverter } from "./converter.ts";
import { elasticsearchPush, productHeader } from "./elasticsearch.ts";

async function bulk(agent: Agent, call: Call): Promise<PushAnswer> {
  const { query, request } = call;
  const conversion: BulkConversion = {
    converter: "elasticsearch",
    index: (request.params as { readonly index?: string }).index ?? "",
    isBrief: (query.get("filter_path") ?? "").includes("items.*."),
    maxPointBytes: pointGrowth * agent.config["http_api.max_body_bytes"],
    // When a request has too many documents, the converter refuses only the documents beyond the limit, not the whole
    // request.
    isCounted: true,
  };
  const { holds, reply } = await takePush(agent, call, {
    push: "elasticsearch",
    category: "logging",
    form: "pbjson",
    conversion,
    source: (query.get("pipeline") ?? "").replace(/\.p$/, ""),
  });
  if (holds === "nothing" || reply === undefined) throw new PushRefusal(400, "request body is required", "no data");
  return answerOf(call, reply);
}

/** Returns an answer of status 200 in the media type that the client asks for. */
function answerOf(call: Call, body: string | Uint8Array): PushAnswer {
  const accept = headerOf(call.request.raw, "accept");
  const vendor = /application\/vnd\.elasticsearch\+json\s*;\s*compatible-with=\d/.exec(accept)?.[0];
  return { status: 200, body, contentType: vendor ?? "application/json", headers: productHeader };
}

const license = { status: "active", type: "basic", mode: "basic", uid: "millrace" };

const info = ({ config, hostname }: Agent, call: Call): PushAnswer => {
  const version = { number: config["inputs.elasticsearch.version"], build_flavor: "default", build_snapshot: false };
  const names = { name: hostname, cluster_name: "millrace", cluster_uuid: "millrace" };
  return answerOf(call, safeJson({ ...names, version, tagline: "You Know, for Search" }));
};

const health = {
  cluster_name: "millrace",
  status: "green",
  timed_out: false,
  number_of_nodes: 1,
  number_of_data_nodes: 1,
  active_primary_shards: 1,
  active_shards: 1,
};

const xpack = { license, features: { ilm: { available: true, enabled: true }, security: { available: true } } };

/**
 * Objects, such as index templates, that senders create when they start. The agent does not need these objects.
 * It answers that each of them already exists; when a sender creates one, the agent reports success and stores
 * nothing.
 */
const created = [
  "/_template/:name",
  "/_index_template/:name",
  "/_component_template/:name",
  "/_ilm/policy/:name",
  "/_ingest/pipeline/:name",
  "/_data_stream/:name",
] as const;

async function acknowledge(agent: Agent, call: Call): Promise<PushAnswer> {
  await discard(call.request.raw, agent.config["http_api.min_body_bytes_per_second"]);
  return answerOf(call, '{"acknowledged":true}');
}

const there = (_agent: Agent, call: Call): PushAnswer => answerOf(call, "{}");

/**
 * Returns whether the client is not a browser. At the path `/`, browsers get the playground (the web page that runs
 * scripts); other clients get Elasticsearch's answer.
 */
const isNoBrowser = ({ request }: Call): boolean => !headerOf(request.raw, "accept").includes("text/html");

const all: readonly PushRouteOptions[] = [
  // Bulk requests are accepted with both methods: Elasticsearch's own clients use PUT; most other senders use POST.
  ...(["POST", "PUT"] as const).flatMap((method): PushRouteOptions[] => [
    { method, url: "/_bulk", answer: bulk },
    { method, url: "/:index/_bulk", answer: bulk },
  ]),
  { method: "GET", url: "/_cluster/health", answer: (_agent, call) => answerOf(call, safeJson(health)) },
  { method: "GET", url: "/_license", answer: (_agent, call) => answerOf(call, safeJson({ license })) },
  { method: "GET", url: "/_xpack", answer: (_agent, call) => answerOf(call, safeJson(xpack)) },
  ...created.flatMap((url): PushRouteOptions[] => [
    { method: "GET", url, answer: there },
    { method: "HEAD", url, answer: there },
    { method: "PUT", url, answer: acknowledge },
  ]),
];

const prefix = "/elasticsearch";

const routes: readonly Route[] = [
  { method: "GET", url: "/", isFor: isNoBrowser, answer: info } as const,
  { method: "HEAD", url: "/", answer: info } as const,
  { method: "GET", url: prefix, answer: info } as const,
  { method: "GET", url: `${prefix}/`, answer: info } as const,
  { method: "HEAD", url: prefix, answer: info } as const,
  { method: "HEAD", url: `${prefix}/`, answer: info } as const,
  ...all,
  ...all.map((route) => ({ ...route, url: `${prefix}${route.url}` })),
].map((route) => pushRoute(elasticsearchPush, route));

export const elasticsearch: Input = {
  name: "Elasticsearch",
  routes,
  converter: bulkConverter,
  open: noteInMetrics(elasticsearchPush),
};
