// The routes of InfluxDB's write interfaces (docs/inputs.md#influx).

import { readBody } from "../../../http/body/body.ts";
import { safeJson } from "../../../http/errors.ts";
import { version } from "../../../http/version.ts";
import type { Agent } from "../../agent.ts";
import type { ExtraTag } from "../../ingest/write-request.ts";
import type { Call, Route } from "../../serving/route.ts";
import type { Input } from "../input.ts";
import { type PushAnswer, PushRefusal } from "../push/push.ts";
import { noteInMetrics } from "../push/push-metrics.ts";
import { pushRoute } from "../push/push-route.ts";
import { leftOutRefusal, takePush } from "../push/take-push.ts";
import { influxConverter } from "./converter.ts";
import { influxPush } from "./influx.ts";

/**
 * Units of times, by the names that InfluxDB 1 and 2 use. The values are the names that the decoder of line protocol
 * uses.
 */
const precisions: ReadonlyMap<string, string> = new Map([
  ["", "n"],
  ["n", "n"],
  ["ns", "n"],
  ["u", "u"],
  ["us", "u"],
  ["\u00b5", "u"],
  ["\u00b5s", "u"],
  ["ms", "ms"],
  ["s", "s"],
  ["m", "m"],
  ["h", "h"],
]);

async function write(agent: Agent, call: Call, isV2: boolean): Promise<PushAnswer> {
  const sent = call.query.get("precision") ?? "";
  const precision = precisions.get(sent);
  if (precision === undefined) {
    throw new PushRefusal(400, `invalid precision ${JSON.stringify(sent.slice(0, 32))}: use ns, us, ms, s, m or h`);
  }
  const taken = await takePush(agent, call, {
    push: "influx",
    category: "metric",
    form: "lp",
    conversion: { converter: "influx", isCounted: false },
    precision,
    earlyTags: databaseTag(agent, call, isV2 ? "bucket" : "db"),
  });
  const { rejected, holds } = taken;
  if (rejected !== undefined) throw leftOutRefusal("line", rejected, taken);
  // InfluxDB 1 accepts a write with an empty body, and InfluxDB 2 refuses it.
  if (isV2 && holds !== "points") throw new PushRefusal(400, "writing requires points", "no data");
  return { status: 204, headers: versionHeaders };
}

function databaseTag({ config }: Agent, { query }: Call, parameter: string): ExtraTag[] {
  const key = config["inputs.influx.database_tag"];
  const value = query.get(parameter) ?? "";
  return key === "" || value === "" ? [] : [[key, value]];
}

/** Headers that tell clients the version of the server. Some clients read these headers. */
const versionHeaders = { "x-influxdb-version": `1.8.10+millrace.${version}`, "x-influxdb-build": "OSS" };

const ping = async (_agent: Agent, { query }: Call): Promise<PushAnswer> =>
  (query.get("verbose") ?? "") === ""
    ? { status: 204, headers: versionHeaders }
    : { status: 200, body: safeJson({ version: versionHeaders["x-influxdb-version"] }), headers: versionHeaders };

const health = async (): Promise<PushAnswer> => ({
  status: 200,
  body: safeJson({
    name: "millrace",
    message: "ready for writes",
    status: "pass",
    checks: [],
    version: versionHeaders["x-influxdb-version"],
  }),
});

/** Largest size in bytes of a body that holds an InfluxQL statement. */
const maxStatementBytes = 64 * 1024;

/**
 * Answers the InfluxQL statements that senders use when they start. Answers `CREATE DATABASE` and similar statements
 * with success but does nothing, since the agent has no databases. Refuses all other statements.
 */
async function query(agent: Agent, call: Call): Promise<PushAnswer> {
  const { raw } = call.request;
  const inBody = await agent.budget.hold(raw, (held) => readBody(raw, maxStatementBytes, held));
  const statement = call.query.get("q") ?? new URLSearchParams(Buffer.from(inBody).toString()).get("q") ?? "";
  if (/^\s*(?:CREATE|ALTER|DROP)\s+(?:DATABASE|RETENTION\s+POLICY)\s/i.test(statement)) {
    return { status: 200, body: '{"results":[{"statement_id":0}]}', headers: versionHeaders };
  }
  if (/^\s*SHOW\s+DATABASES\s*;?\s*$/i.test(statement)) {
    const series = [{ name: "databases", columns: ["name"] }];
    return { status: 200, body: safeJson({ results: [{ statement_id: 0, series }] }), headers: versionHeaders };
  }
  throw new PushRefusal(400, "the agent takes writes only; ask the platform with POST /v1/query/raw");
}

const routes: readonly Route[] = [
  pushRoute(influxPush, { method: "POST", url: "/write", answer: (agent, call) => write(agent, call, false) }),
  pushRoute(influxPush, { method: "POST", url: "/api/v2/write", answer: (agent, call) => write(agent, call, true) }),
  pushRoute(influxPush, { method: "POST", url: "/query", answer: query }),
  pushRoute(influxPush, { method: "GET", url: "/query", answer: query }),
  pushRoute(influxPush, { method: "GET", url: "/ping", isOpen: true, answer: ping }),
  pushRoute(influxPush, { method: "HEAD", url: "/ping", isOpen: true, answer: ping }),
  pushRoute(influxPush, { method: "GET", url: "/health", isOpen: true, answer: health }),
];

export const influx: Input = {
  name: "Influx",
  routes,
  converter: influxConverter,
  open: noteInMetrics(influxPush),
};
