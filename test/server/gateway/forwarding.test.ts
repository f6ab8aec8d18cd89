// How a gateway handles requests: routes, targets, answers, guards (docs/reference/gateway.md#conditions).

import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fromHeaderBytes, toHeaderBytes } from "../../../lib/sharding/header.ts";
import {
  type GatewayOptions,
  type GatewayProcess,
  startGatewayProcess,
  startWorkspaces,
  type Workspaces,
} from "../support/running-gateway.ts";

const a = `tkn_${"a".repeat(32)}`;
const b = `tkn_${"b".repeat(32)}`;
const d = `tkn_${"d".repeat(32)}`;
const own = `tkn_${"9".repeat(32)}`;
const secret = `tkn_${"5".repeat(32)}`;

let workspaces: Workspaces;

beforeAll(async () => {
  workspaces = await startWorkspaces();
});

afterAll(() => workspaces.close());

afterEach(() => {
  workspaces.seen.length = 0;
});

const rules = (strict: boolean) => ({
  strict,
  rules: [
    { rules: ["{ host match 'web-*' }"], url: `${workspaces.url}/?token=${a}`, info: "web" },
    { rules: ["{ env = 'prod' }", "{ team = '支付' }"], url: `${workspaces.url}/in/?token=${b}&extra=1` },
    ...(strict ? [] : [{ rules: ["*"], url: `${workspaces.url}/?token=${d}`, info: "rest" }]),
  ],
});

async function started(options: GatewayOptions): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess(options);
  onTestFinished(() => gateway.stop());
  return gateway;
}

const tagged = (header: string) => ({ "x-global-tags": toHeaderBytes(header) });

describe("a strict gateway", () => {
  let gateway: GatewayProcess;

  beforeAll(async () => {
    gateway = await startGatewayProcess({ rules: rules(true) });
  });

  afterAll(() => gateway.stop());

  it("relays a body unchanged, with its headers, under the token of the matching rule", async () => {
    const body = Buffer.from([0x1f, 0x8b, 0, 0xff, 0x0a]);
    const answer = await gateway.send("/v1/write/keyevent?precision=ms&token=mine", {
      body,
      headers: {
        ...tagged("host=web-001"),
        "content-type": "application/x-odd; charset=x",
        "x-points": "3",
        "x-pkg-id": "ag_1",
        "x-storage-index-name": "own",
        "x-token": "mine too",
        authorization: "Bearer mine as well",
        cookie: "session=mine",
        "accept-encoding": "gzip",
        connection: "x-hop",
        "x-hop": "1",
      },
    });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    const [got] = workspaces.seen;
    expect(got!.body.equals(body)).toBe(true);
    expect([got!.path, got!.token, got!.query.get("precision")]).toEqual(["/v1/write/keyevent", a, "ms"]);
    expect(got!.headers).toMatchObject({
      "content-type": "application/x-odd; charset=x",
      "x-points": "3",
      "x-pkg-id": "ag_1",
      "x-storage-index-name": "own",
      "x-global-tags": "host=web-001",
      "x-forwarded-for": "127.0.0.1",
    });
    for (const name of ["x-token", "x-hop", "authorization", "cookie", "accept-encoding"]) {
      expect(got!.headers[name]).toBeUndefined();
    }
    expect(JSON.stringify(got!.headers)).not.toContain("mine");
  });

  it("sends a write to every matching rule, under the path prefix of the rule's URL", async () => {
    const answer = await gateway.send("/v1/write/logging", { body: "l m=1 1", headers: tagged("host=web-1,env=prod") });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(workspaces.seen.map(({ path, token }) => [path, token]).sort()).toEqual([
      ["/in/v1/write/logging", b],
      ["/v1/write/logging", a],
    ]);
    expect(workspaces.seen.find(({ token }) => token === b)!.query.get("extra")).toBe("1");
    expect(await gateway.metric(`gateway_http_api_forked_total{api="/v1/write/logging"`)).toBe(2);
  });

  it("sends other requests only to the first matching rule, and returns its answer", async () => {
    workspaces.behave(a, { status: 409, body: '{"content":"no"}' });
    const answer = await gateway.send("/v1/workspace", { body: "{}", headers: tagged("host=web-1,env=prod") });
    workspaces.behave(a, { status: 200 });
    expect([answer.status, answer.text]).toEqual([409, '{"content":"no"}']);
    expect(workspaces.seen.map(({ token }) => token)).toEqual([a]);
  });

  it.each([
    ["POST", "/v1/election?namespace=x&id=h", "/v1/election"],
    ["POST", "/v1/election/heartbeat", "/v1/election/heartbeat"],
    ["GET", "/v1/agent/pull?filters=true", "/v1/agent/pull"],
    ["POST", "/v1/query/raw", "/v1/query/raw"],
    ["POST", "/v1/object/labels", "/v1/object/labels"],
    ["DELETE", "/v1/object/labels", "/v1/object/labels"],
    ["GET", "/v1/env_variable?app_id=x", "/v1/env_variable"],
    ["POST", "/v1/write/heartbeat", "/v1/write/heartbeat"],
    ["POST", "/v1/agent/usage_trace", "/v1/agent/usage_trace"],
    ["POST", "/v1/log", "/v1/log"],
    ["POST", "/v1/write/rum/replay", "/v1/write/rum/replay"],
    ["POST", "/v1/upload/profiling", "/v1/upload/profiling"],
  ])("%s %s is routed", async (method, url, path) => {
    const answer = await gateway.send(url, { method, headers: tagged("host=web-1") });
    expect(answer.status).toBe(200);
    expect(workspaces.seen.map((each) => [each.method, each.path, each.token])).toEqual([[method, path, a]]);
  });

  it("answers 406 with the exact message to a write that no rule matches, and logs the write", async () => {
    const answer = await gateway.send("/v1/write/logging?token=x", { body: "l m=1 1", headers: tagged("host=db-1") });
    expect([answer.status, answer.text]).toEqual([
      406,
      '{"error_code":"gateway.sinkRulesNotMatched","message":"X-Global-Tags: `host=db-1\', URL: `/v1/write/logging\'"}',
    ]);
    expect(workspaces.seen).toEqual([]);
    await expect.poll(() => gateway.log()).toContain("for API /v1/write/logging with X-Global-Tags host=db-1 dropped");
    expect(await gateway.metric('gateway_http_api_dropped_total{api="/v1/write/logging"')).toBe(1);
    expect((await gateway.send("/v1/write/logging", { body: "x" })).status).toBe(406);
    expect((await gateway.send("/v1/query/raw", { body: "{}", headers: tagged("host=db-1") })).status).toBe(406);
  });

  it("reads the header as UTF-8 and from several lines, and treats an empty header as absent", async () => {
    // The body is a buffer. If it were a string, Node would write headers and body together in UTF-8, which would
    // change the bytes of the header X-Global-Tags.
    const body = Buffer.from("x");
    await gateway.send("/v1/write/rum", { body, headers: tagged("team=支付") });
    expect(workspaces.seen.map(({ token }) => token)).toEqual([b]);
    expect(fromHeaderBytes(String(workspaces.seen[0]!.headers["x-global-tags"]))).toBe("team=支付");
    const lines = { "x-global-tags": ["env=x", "host=web-9"] as unknown as string };
    await gateway.send("/v1/write/rum", { body, headers: lines });
    expect(workspaces.seen[1]).toMatchObject({ token: a, headers: { "x-global-tags": "env=x,host=web-9" } });
    expect((await gateway.send("/v1/write/rum", { body, headers: tagged("") })).status).toBe(406);
  });

  it("accepts a request without a body, with which operators test rules", async () => {
    const answer = await gateway.send("/v1/write/metric", { method: "POST", headers: tagged("host=web-1") });
    expect([answer.status, workspaces.seen[0]!.body.length]).toEqual([200, 0]);
  });

  it("refuses a header over 16 KiB with 431", async () => {
    const answer = await gateway.send("/v1/write/metric", { body: "x", headers: tagged(`host=${"w".repeat(16_400)}`) });
    expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([431, "gateway.headerTooLarge"]);
    const long = await gateway.send("/v1/write/metric", { body: "x", headers: tagged(`host=web-${"w".repeat(5000)}`) });
    expect(long.status).toBe(200);
    await expect.poll(() => gateway.log()).toMatch(/\/v1\/write\/metric: X-Global-Tags has 50\d\d bytes/);
  });

  it("answers 404 to an unknown category, path or method", async () => {
    const unknown = await gateway.send("/v1/write/nope", { body: "x", headers: tagged("host=web-1") });
    expect([unknown.status, unknown.text]).toEqual([
      404,
      '{"error_code":"gateway.invalidCategory","message":"invalid category \\"nope\\""}',
    ]);
    expect((await gateway.send("/v1/nope")).status).toBe(404);
    expect((await gateway.send("/v1/write/metric")).status).toBe(404);
  });

  it("answers requests for its start page, ping, time and health", async () => {
    const page = await gateway.send("/");
    expect([page.status, page.text.includes("It's working!")]).toEqual([200, true]);
    expect(JSON.parse((await gateway.send("/v1/ping")).text).content).toMatchObject({ sinker: "on" });
    expect(JSON.parse((await gateway.send("/v1/ntp")).text).timestamp_sec).toBeCloseTo(Date.now() / 1000, -2);
    expect((await gateway.send("/healthz")).status).toBe(200);
    expect((await gateway.send("/readyz")).text).toBe('{"status":"ready"}');
  });

  it("counts routed requests by path, result and rule", async () => {
    const { text } = await gateway.send("/metrics");
    expect(text).toMatch(/sinker_requests_total\{api="\/v1\/write\/keyevent",result="matched",rule="web"\} 1\n/);
    expect(text).toMatch(/sinker_requests_total\{api="\/v1\/write\/logging",result="matched",rule="1"\} 1\n/);
    expect(text).toMatch(/sinker_requests_total\{api="\/v1\/write\/logging",result="dropped",rule=""\} 2\n/);
    expect(text).toMatch(/gateway_http_api_recv_points_total\{api="\/v1\/write\/keyevent"\} 3\n/);
    expect(text).toMatch(/gateway_http_api_send_points_total\{api="\/v1\/write\/keyevent"\} 3\n/);
    expect(text).toMatch(/gateway_sinker_rule_cache_miss_total \d/);
    expect(text).toMatch(/gateway_sinker_rule_last_applied_time\{source="file"\} 1\d{9}/);
    // The gateway counts a request only after its answer was sent, so the counter may change a moment later.
    const answered = 'gateway_http_api_total{api="/v1/write/keyevent",status="OK"}';
    await expect.poll(() => gateway.metric(answered)).toBe(1);
  });

  it("shows no token, neither in its log nor in its metrics", async () => {
    const { text } = await gateway.send("/metrics");
    for (const said of [gateway.log(), gateway.said(), text]) {
      for (const token of [a, b, "mine", "extra=1"]) expect(said).not.toContain(token);
    }
  });
});

describe("an answer from a target", () => {
  let gateway: GatewayProcess;

  beforeAll(async () => {
    gateway = await startGatewayProcess({ rules: rules(true) });
  });

  afterAll(() => gateway.stop());

  const quoted = `no workspace has A or ${b}; see http://h/?token=short&x=1, \u00e9\u0001`;

  it.each<[what: string, path: string, status: number, body: string, told: string]>([
    [
      "a refused write",
      "/v1/write/keyevent",
      403,
      quoted.replace("A", a),
      quoted.replace("A", "tkn_***aaaaa").replace(b, "tkn_***bbbbb").replace("short", "***"),
    ],
    ["a failed query", "/v1/query/raw", 500, `{"message":"token=${a}"}`, '{"message":"token=tkn_***aaaaa"}'],
    ["data", "/v1/query/raw", 200, `[{"token":"${a}"},"${b}",5]`, `[{"token":"tkn_***aaaaa"},"${b}",5]`],
  ])("is passed on without the tokens that it contains: %s", async (_what, path, status, body, told) => {
    workspaces.behave(a, { status, body });
    onTestFinished(() => workspaces.behave(a, { status: 200 }));
    for (const encoding of ["", "gzip"]) {
      const headers = { ...tagged("host=web-1"), ...(encoding === "" ? {} : { "accept-encoding": encoding }) };
      const answer = await gateway.send(path, { body: "{}", headers });
      expect([answer.status, answer.text]).toEqual([status, told]);
    }
  });

  it("is compressed for clients that accept gzip", async () => {
    const body = JSON.stringify(["x".repeat(5000), a]);
    workspaces.behave(a, { status: 200, body });
    onTestFinished(() => workspaces.behave(a, { status: 200 }));
    const headers = { ...tagged("host=web-1"), "accept-encoding": "gzip" };
    const answer = await gateway.send("/v1/query/raw", { body: "{}", headers });
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(answer.body).toString()).toBe(body.replace(a, "tkn_***aaaaa"));
  });

  it("is logged without tokens, too", () => {
    expect(gateway.log()).toMatch(/refused|dead letter/i);
    for (const token of [a, b]) expect(gateway.log()).not.toContain(token);
  });
});

describe("a gateway with a default rule", () => {
  it("sends unmatched writes to that rule, and clients with a workspace token to the platform", async () => {
    const gateway = await started({
      rules: rules(false),
      config: `[gateway_api]\nremote_host = "${workspaces.url}/platform"\n`,
    });
    await gateway.send("/v1/write/logging", { body: "x", headers: tagged("host=db-1") });
    await gateway.send("/v1/write/logging", { body: "x" });
    await gateway.send(`/v1/write/logging?token=${own}`, { body: "x" });
    await gateway.send(`/v1/write/logging?token=${own}`, { body: "x", headers: tagged("") });
    expect(workspaces.seen.map(({ token, path }) => [token, path])).toEqual([
      [d, "/v1/write/logging"],
      [d, "/v1/write/logging"],
      [own, "/platform/v1/write/logging"],
      [d, "/v1/write/logging"],
    ]);
    const { text } = await gateway.send("/metrics");
    expect(text).toMatch(/sinker_requests_total\{api="\/v1\/write\/logging",result="default",rule="rest"\} 3\n/);
    expect(text).toMatch(/sinker_requests_total\{api="\/v1\/write\/logging",result="direct",rule=""\} 1\n/);
    expect(text).toMatch(/gateway_sinker_default_rule_hit_total\{info="rest"\} 3\n/);
  });

  it("sends a write only to the first matching rule with match_mode first", async () => {
    const gateway = await started({ rules: rules(false), config: '[sinker]\nmatch_mode = "first"\n' });
    await gateway.send("/v1/write/logging", { body: "x", headers: tagged("host=web-1,env=prod") });
    expect(workspaces.seen.map(({ token }) => token)).toEqual([a]);
  });
});

describe("tokens", () => {
  it("only the secret token is routed by rules; other tokens go to the platform", async () => {
    const gateway = await started({
      rules: rules(true),
      config: `[gateway_api]\nremote_host = "${workspaces.url}"\nsecret_token = "${secret}"\ntoken = "${own}"\nenable_internal_token = true\n[logging]\nlevel = "debug"\n`,
    });
    const statusOf = async (query: string, headers: Record<string, string> = tagged("host=web-1")) =>
      (await gateway.send(`/v1/write/metric${query}`, { body: "x", headers })).status;
    expect(await statusOf(`?token=${secret}`)).toBe(200);
    expect(await statusOf("", { ...tagged("host=web-1"), "x-token": secret })).toBe(200);
    expect(await statusOf(`?token=${b}`)).toBe(200);
    expect(await statusOf("?token=__internal__")).toBe(200);
    expect(workspaces.seen.map(({ token }) => token)).toEqual([a, a, b, own]);
    const none = await gateway.send("/v1/write/metric", { body: "x", headers: tagged("host=web-1") });
    expect([none.status, JSON.parse(none.text).error_code]).toEqual([403, "gateway.emptyToken"]);
    for (const token of [secret, own, b]) expect(gateway.log()).not.toContain(token);
  });

  it("an empty token counts as the gateway's own token with enable_empty_token", async () => {
    const gateway = await started({
      config: `[gateway_api]\nremote_host = "${workspaces.url}"\ntoken = "file:TOKEN"\nenable_empty_token = true\n`,
      env: { GW_TOKEN: own },
    });
    expect((await gateway.send("/v1/write/metric", { body: "x" })).status).toBe(200);
    expect(workspaces.seen[0]!.token).toBe(own);
    const internal = await gateway.send("/v1/write/metric?token=__internal__", { body: "x" });
    expect([internal.status, JSON.parse(internal.text).error_code]).toEqual([403, "gateway.invalidToken"]);
  });

  it("the gateway's token in a query body is replaced by the workspace's; other tokens stay", async () => {
    const gateway = await started({ rules: rules(true), config: `[gateway_api]\nsecret_token = "${secret}"\n` });
    const ask = (body: string) =>
      gateway.send(`/v1/query/raw?token=${secret}`, { body, headers: tagged("host=web-1") });
    await ask(`{"token":"${secret}","queries":[{"search_after":[12345678901234567890]}]}`);
    await ask(JSON.stringify({ token: b, queries: [] }));
    await ask("{ no json");
    expect(workspaces.seen.map(({ body }) => body.toString())).toEqual([
      `{"token":"${a}","queries":[{"search_after":[12345678901234567890]}]}`,
      `{"token":"${b}","queries":[]}`,
      "{ no json",
    ]);
  });

  it("a client's own token stays in an answer with data, and is masked in a refusal", async () => {
    const gateway = await started({ config: `[gateway_api]\nremote_host = "${workspaces.url}"\n` });
    onTestFinished(() => workspaces.behave(own, { status: 200 }));
    const ask = async (status: number) => {
      workspaces.behave(own, { status, body: own });
      return (await gateway.send(`/v1/query/raw?token=${own}`, { body: "{}" })).text;
    };
    expect([await ask(200), await ask(403)]).toEqual([own, "tkn_***99999"]);
  });

  it("a token check uses the token of the target and shows no token", async () => {
    const gateway = await started({
      rules: rules(false),
      config: `[gateway_api]\nsecret_token = "${secret}"\nremote_host = "${workspaces.url}"\n`,
    });
    expect((await gateway.send(`/v1/check/token/${secret}`)).status).toBe(200);
    expect((await gateway.send(`/v1/check/${own}`)).status).toBe(200);
    expect(workspaces.seen.map(({ path }) => path)).toEqual([`/v1/check/token/${d}`, `/v1/check/${own}`]);
    const word = await gateway.send("/v1/check/token/word");
    expect([word.status, JSON.parse(word.text).code]).toEqual([403, 403]);
    const { text } = await gateway.send("/metrics");
    for (const token of [secret, own, d]) expect(gateway.log() + text).not.toContain(token);
  });
});

describe("guards", () => {
  it("refuses bodies over the limit, with or without a declared length, and counts them", async () => {
    const gateway = await started({ rules: rules(true), config: "[gateway_api]\nmax_http_body_bytes = 1000\n" });
    const answer = await gateway.send("/v1/write/metric", { body: "x".repeat(1001), headers: tagged("host=web-1") });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      413,
      { error_code: "gateway.bodyTooLarge", message: "Request Entity Too Large" },
    ]);
    const chunked = { ...tagged("host=web-1"), "transfer-encoding": "chunked" };
    expect((await gateway.send("/v1/write/metric", { body: "x".repeat(1001), headers: chunked })).status).toBe(413);
    expect(workspaces.seen).toEqual([]);
    await expect.poll(() => gateway.log()).toContain("drop too large request: /v1/write/metric");
    expect(await gateway.metric("gateway_http_api_body_too_large_dropped_total")).toBe(2);
  });

  it("accepts only clients whose address is in white_list", async () => {
    const gateway = await started({ rules: rules(true), config: '[gateway_api]\nwhite_list = ["10.0.0.0/8"]\n' });
    const answer = await gateway.send("/v1/write/metric", {
      body: "x",
      headers: { ...tagged("host=web-1"), "x-forwarded-for": "10.0.0.1" },
    });
    expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([403, "gateway.ipForbidden"]);
    expect((await gateway.send("/healthz")).status).toBe(200);
  });

  it("limits the rate of a path", async () => {
    // The rate of 0.001 requests per second allows one request now and the next one after a quarter of an hour.
    const gateway = await started({ rules: rules(true), config: "[gateway_api]\napi_limit_rate = 0.001\n" });
    const statuses = await Promise.all(
      Array.from(
        { length: 6 },
        async () => (await gateway.send("/v1/write/metric", { body: "x", headers: tagged("host=web-1") })).status,
      ),
    );
    expect(statuses.sort()).toEqual([200, 429, 429, 429, 429, 429]);
    expect((await gateway.send("/v1/write/rum", { body: "x", headers: tagged("host=web-1") })).status).toBe(200);
  });

  it("refuses a request that has passed too many gateways", async () => {
    const gateway = await started({ rules: rules(true) });
    const sent = (hops: string) =>
      gateway.send("/v1/write/metric", { body: "x", headers: { ...tagged("host=web-1"), "x-gateway-hops": hops } });
    expect((await sent("5")).status).toBe(200);
    expect(workspaces.seen[0]!.headers["x-gateway-hops"]).toBe("6");
    const answer = await sent("6");
    expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([508, "gateway.tooManyHops"]);
  });

  it("the first of two gateways in a row routes by rules, and the second keeps the token", async () => {
    const second = await started({ config: `[gateway_api]\nremote_host = "${workspaces.url}"\n` });
    const first = await started({
      rules: { strict: true, rules: [{ rules: ["{ host = 'h' }"], url: `${second.url}/?token=${a}` }] },
    });
    await first.send("/v1/write/metric", { body: "x", headers: tagged("host=h") });
    expect(
      workspaces.seen.map(({ token, headers }) => [token, headers["x-gateway-hops"], headers["x-global-tags"]]),
    ).toEqual([[a, "2", "host=h"]]);
  });

  it("without rules and a platform, a write gets 503 with Retry-After, so that the client keeps it", async () => {
    const gateway = await started({});
    const answer = await gateway.send("/v1/write/metric?token=x", { body: "x" });
    expect([answer.status, JSON.parse(answer.text).error_code]).toEqual([503, "gateway.noRemoteHost"]);
    expect(answer.headers["retry-after"]).toBe("5");
    expect((await gateway.send("/readyz")).status).toBe(503);
  });
});
