// Small HTTP interfaces of the agent: object labels, variables, errors, queries and health
// (docs/reference/agent.md#object-labels).

import { mkdirSync, readFileSync, rmdirSync } from "node:fs";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ownLoopback } from "../../support/child.ts";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const json = (body: unknown, method = "POST") => ({ method, body: JSON.stringify(body) });

describe("an agent without gateway", () => {
  let agent: AgentProcess;
  beforeAll(async () => {
    agent = await startAgent({ config: '[rum.env_variable.app1]\n"R.app.key" = "value"\n' });
  });
  afterAll(() => agent.stop());

  const object = { object_class: "HOST", object_name: "web01", key: "cpu", value: 4 };

  describe("/v1/object/labels", () => {
    it("returns a stable id, and another id for another value", async () => {
      const put = async (value: unknown, labels: string[]) =>
        JSON.parse((await agent.send("/v1/object/labels", json({ ...object, value, labels }))).text).content._id;
      const id = await put(4, ["a"]);
      expect(id).toMatch(/^[0-9a-f]{40}$/);
      expect(await put(4, ["b", "c"])).toBe(id);
      expect(await put("4", [])).not.toBe(id);
    });

    it("distinguishes numbers that are equal in JavaScript, and keeps their digits over restarts", async () => {
      let own = await startAgent();
      const put = async (value: string, object_name = "web01") => {
        const body = `{"object_class":"HOST","object_name":"${object_name}","key":"n","value":${value},"labels":["a"]}`;
        return JSON.parse((await own.send("/v1/object/labels", { body })).text).content._id;
      };
      const values = ["9007199254740992", "9007199254740993", "1e400", "null"];
      const ids: string[] = [];
      for (const value of values) ids.push(await put(value));
      expect(new Set(ids).size).toBe(values.length);
      const { dataDir } = own;
      await own.kill();
      own = await startAgent({ dataDir });
      await put("1", "other");
      const text = readFileSync(path.join(dataDir, "object-labels.json"), "utf8");
      expect([...text.matchAll(/"value":([^,]+)/g)].map(([, value]) => value)).toEqual([...values, "1"]);
      await own.stop();
    });

    it("deletes labels, also when there are none", async () => {
      for (let round = 0; round < 2; round++) {
        const { status, text } = await agent.send("/v1/object/labels", json(object, "DELETE"));
        expect([status, text]).toEqual([200, '{"content":{"msg":"delete success!"}}']);
      }
    });

    it("reports that labels cannot be stored, and makes a refused change when it is requested again", async () => {
      const own = await startAgent();
      const kept = { ...object, object_name: "kept" };
      expect((await own.send("/v1/object/labels", json({ ...kept, labels: ["a"] }))).status).toBe(200);
      const obstacle = path.join(own.dataDir, "object-labels.json.tmp");
      mkdirSync(obstacle);
      for (const sent of [json({ ...kept, labels: [] }), json(kept, "DELETE")]) {
        const { status, text } = await own.send("/v1/object/labels", sent);
        expect([status, JSON.parse(text).error_code]).toEqual([500, "agent.internalServerError"]);
      }
      rmdirSync(obstacle);
      expect((await own.send("/v1/object/labels", json(kept, "DELETE"))).status).toBe(200);
      expect(readFileSync(path.join(own.dataDir, "object-labels.json"), "utf8")).toBe("{}");
      await own.stop();
    });

    it.each([
      ["{", /JSON/],
      ["[]", /an object is expected/],
      [JSON.stringify({ ...object, object_class: 1, labels: [] }), /object_class must be a string/],
      [JSON.stringify({ ...object, key: undefined, labels: [] }), /key must be a string/],
      [JSON.stringify(object), /labels must be a list of strings/],
      [JSON.stringify({ ...object, labels: [1] }), /labels must be a list of strings/],
    ])("refuses %s", async (body, message) => {
      const { status, text } = await agent.send("/v1/object/labels", { body });
      expect(status).toBe(400);
      expect(JSON.parse(text)).toEqual({ error_code: "agent.invalidRequest", message: expect.stringMatching(message) });
    });
  });

  it("/v1/env_variable returns the table of the application, or an empty one", async () => {
    const ask = async (id: string) => (await agent.send(`/v1/env_variable?app_id=${id}`)).text;
    expect(await ask("app1")).toBe('{"content":{"R.app.key":"value"}}');
    expect(await ask("other")).toBe('{"content":{}}');
    expect(await ask("__proto__")).toBe('{"content":{}}');
  });

  describe("/v1/lasterror", () => {
    it("counts errors, and shows the last ones in the metrics", async () => {
      const { status, text } = await agent.send("/v1/lasterror", json({ input: "cpu", err_content: "boom" }));
      expect([status, text]).toEqual([200, ""]);
      await agent.send("/v1/lasterror", json({ input: "cpu", source: "s", err_content: "boom" }));
      expect(await agent.metric('agent_error_total{source="cpu",category="unknown"}')).toBe(1);
      expect(await agent.metric('agent_error_total{source="s",category="unknown"}')).toBe(1);
      const sample = 'agent_last_err{input="cpu",source="cpu",category="unknown",error="boom"}';
      expect(Math.abs((await agent.metric(sample)) - Date.now() / 1000)).toBeLessThan(30);
    });

    it.each([
      ["nonsense", "agent.invalidJSON"],
      ["[]", "agent.invalidJSON"],
      ['{"input":1,"err_content":"x"}', "agent.invalidJSON"],
      ['{"input":"cpu"}', "agent.inputOrErrcontentCanNotBeNil"],
      ['{"err_content":"x"}', "agent.inputOrErrcontentCanNotBeNil"],
    ])("refuses %s", async (body, code) => {
      const { status, text } = await agent.send("/v1/lasterror", { body });
      expect([status, JSON.parse(text).error_code]).toEqual([400, code]);
    });

    it("remembers the last errors only, however many are reported", async () => {
      for (let at = 0; at < 210; at++) {
        await agent.send("/v1/lasterror", json({ input: "many", err_content: `error ${at}` }));
      }
      const { text } = await agent.send("/metrics");
      expect(text.match(/^agent_last_err\{/gm)?.length).toBe(200);
      expect(text).toContain('error="error 209"');
      expect(text).not.toContain('error="error 1"');
    });
  });

  it("/v1/query/raw reports a missing gateway and invalid requests", async () => {
    const ask = async (body: string) => {
      const { status, text } = await agent.send("/v1/query/raw", { body });
      return [status, JSON.parse(text)];
    };
    expect(await ask("{}")).toEqual([
      500,
      { error_code: "agent.noGatewayAvailable", message: "a query needs [gateway] urls" },
    ]);
    for (const body of ["{", "[]", '{"queries":1}', '{"token":1}', '{"echo_explain":"x"}']) {
      const [status, { error_code, message }] = await ask(body);
      expect([status, error_code]).toEqual([400, "agent.invalidJSON"]);
      expect(message).toMatch(/^json\.Unmarshal: ./);
    }
  });

  it("/healthz returns ok, and /readyz returns ready", async () => {
    expect((await agent.send("/healthz")).text).toBe('{"status":"ok"}');
    const { status, text } = await agent.send("/readyz");
    expect([status, text]).toEqual([200, '{"status":"ready"}']);
  });

  it.each([
    ["POST", "/v1/object/labels"],
    ["DELETE", "/v1/object/labels"],
    ["GET", "/v1/env_variable"],
    ["POST", "/v1/lasterror"],
    ["POST", "/v1/query/raw"],
    ["GET", "/healthz"],
    ["GET", "/readyz"],
  ])("%s %s refuses clients that are not local", async (method, path) => {
    const { status } = await agent.send(path, { method, headers: { "x-real-ip": "8.8.8.8" } });
    expect(status).toBe(403);
  });
});

describe("an agent with a gateway", () => {
  let gateway: RecordingGateway;
  let agent: AgentProcess;
  const asked: { method: string; url: string; body: string }[] = [];

  beforeAll(async () => {
    gateway = await startGateway();
    gateway.behave(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      asked.push({ method: request.method!, url: request.url!, body: Buffer.concat(chunks).toString() });
      if (request.url!.includes("quote")) {
        response.writeHead(403).end(`token t1 is not tkn_${"a".repeat(32)}`);
        return;
      }
      const fails = request.url!.includes("fail");
      response.writeHead(fails ? 502 : 418, { "content-type": "application/json" }).end('{"from":"above"}');
    });
    agent = await startAgent({ config: `[gateway]\nurls = ["${gateway.url}?token=t1"]\n` });
  });
  afterAll(async () => {
    await agent.stop();
    await gateway.close();
  });

  it("forwards queries with its token, and returns the status and body of the gateway", async () => {
    const body = { queries: [{ query: "M::cpu", odd: 1 }], other: true };
    const { status, text } = await agent.send("/v1/query/raw", json(body));
    expect([status, text]).toEqual([418, '{"from":"above"}']);
    const last = asked.at(-1)!;
    expect([last.method, last.url]).toEqual(["POST", "/v1/query/raw?token=t1"]);
    expect(JSON.parse(last.body)).toEqual({ ...body, token: "t1" });
    await agent.send("/v1/query/raw", json({ token: "own" }));
    expect(JSON.parse(asked.at(-1)!.body)).toEqual({ token: "own" });
  });

  it.each([
    [504, "platform.queryTimeout", "query timeout after 1s", 504, "agent.queryTimeout"],
    [400, "agent.queryParseError", "1:14 parse error: unexpected: <op:'-'>", 400, "agent.queryParseError"],
    [400, "platform.invalidRequest", "no query", 400, "agent.invalidRequest"],
    [500, "platform.queryFailed", "out of memory", 500, "agent.queryFailed"],
    [503, "platform.storeFailed", "the store is full", 500, "agent.queryFailed"],
    [504, "gateway.upstreamTimeout", "timeout", 504, "agent.queryTimeout"],
    [502, "gateway.upstreamFailed", "connection-refused", 500, "agent.allRetryFailed"],
    [500, "", "some reason", 500, "agent.queryFailed"],
  ])("returns the reason of a refused query: %i %s %s", async (status, code, message, its, own) => {
    const refusing = await startGateway();
    let times = 0;
    refusing.behave((request, response) => {
      if (request.url!.startsWith("/v1/query/raw")) times++;
      response.writeHead(status).end(JSON.stringify({ error_code: code, message }));
    });
    const urls = [1, 2].map((token) => `"${refusing.url}?token=t${token}"`).join();
    const sender = await startAgent({ config: `[gateway]\nurls = [${urls}]\n` });
    onTestFinished(async () => {
      await sender.stop();
      await refusing.close();
    });
    const answer = await sender.send("/v1/query/raw", json({ queries: [] }));
    expect([answer.status, JSON.parse(answer.text)]).toEqual([its, { error_code: own, message }]);
    expect(times).toBe(status >= 500 && status !== 504 ? 2 : 1);
  });

  it.each([
    ["gateway", '[http_api]\ntimeout = "10m"\n[gateway]\ntimeout_v2 = "200ms"'],
    ["agent's own interface", '[http_api]\ntimeout = "200ms"\n[gateway]\ntimeout_v2 = "10m"'],
  ])("returns 504 when a query takes longer than the time limit of the %s", async (_, limits) => {
    const own = await startGateway();
    own.behave((request, response) => void (request.url!.startsWith("/v1/query/raw") || response.end()));
    const sender = await startAgent({ config: `${limits}\nurls = ["${own.url}?token=t1"]\n` });
    onTestFinished(async () => {
      await sender.stop();
      await own.close();
    });
    const { status, text, headers } = await sender.send("/v1/query/raw", json({ queries: [] }));
    expect([status, headers["content-type"], JSON.parse(text)]).toEqual([
      504,
      "application/json",
      { error_code: "agent.queryTimeout", message: "query timeout after 200ms" },
    ]);
  });

  it("forwards labels to the gateway", async () => {
    const body = { object_class: "a", object_name: "b", key: "c", value: null };
    expect((await agent.send("/v1/object/labels", json(body, "DELETE"))).status).toBe(418);
    expect(asked.at(-1)).toEqual({ method: "DELETE", url: "/v1/object/labels?token=t1", body: JSON.stringify(body) });
  });

  it("forwards numbers digit for digit, and everything else unchanged", async () => {
    const numbers = "[1700000000000000001, 12345678901234567890, 1.0, 1e400, -0.10]";
    const query = `{"queries": [{"query":"M::cpu","search_after":${numbers}, "token":""}], "__proto__": {"a":1}, "a":1, "a":2}`;
    const sent = async (path: string, body: string, method = "POST") => {
      expect((await agent.send(path, { method, body })).status).toBe(418);
      return asked.at(-1)!.body;
    };
    expect(await sent("/v1/query/raw", query)).toBe(`{"token":"t1",${query.slice(1)}`);
    const named = query.replace("{", '{"token":"mine",');
    expect(await sent("/v1/query/raw", named)).toBe(named);
    const label = `{ "object_class":"a","object_name":"b","key":"c", "value":9007199254740993, "labels":["\\u0041"] }\n`;
    expect(await sent("/v1/object/labels", label)).toBe(label);
    expect(await sent("/v1/object/labels", label, "DELETE")).toBe(label);
  });

  it.each([
    ["/v1/query/raw", json({ queries: [] })],
    ["/v1/object/labels", json({ object_class: "a", object_name: "b", key: "c" }, "DELETE")],
  ])("%s: a body counts as in flight until the gateway has answered", async (at, sent) => {
    const own = await startGateway();
    const held: ServerResponse[] = [];
    own.behave((request, response) => void (request.url!.startsWith(at) ? held.push(response) : response.end()));
    const sender = await startAgent({ config: `[gateway]\nurls = ["${own.url}?token=t1"]\n` });
    const inFlight = () => sender.metric("agent_http_inflight_bytes");
    const answer = sender.send(at, sent);
    await expect.poll(() => held.length).toBe(1);
    expect(await inFlight()).toBe(sent.body.length);
    held[0]!.end("{}");
    expect((await answer).status).toBe(200);
    await expect.poll(inFlight).toBe(0);
    await sender.stop();
    await own.close();
  });

  it("asks for variables with the application's id escaped", async () => {
    await agent.send("/v1/env_variable?app_id=a%26b%3Dc");
    expect(asked.at(-1)!.url).toBe("/v1/env_variable?app_id=a%26b%3Dc&scope=rum&token=t1");
  });

  it("returns variables of its configuration first, and none for an unknown application", async () => {
    const own = await startGateway();
    own.behave(404);
    const sender = await startAgent({
      config: `[gateway]\nurls = ["${own.url}?token=t1"]\n[rum.env_variable.app1]\n"R.app.key" = "value"\n`,
    });
    onTestFinished(async () => {
      await sender.stop();
      await own.close();
    });
    for (const [id, content] of [
      ["app1", '{"R.app.key":"value"}'],
      ["other", "{}"],
    ]) {
      const { status, text } = await sender.send(`/v1/env_variable?app_id=${id}`);
      expect([status, text]).toEqual([200, `{"content":${content}}`]);
    }
  });

  it("masks the tokens that a gateway quotes back", async () => {
    const { status, text } = await agent.send("/v1/env_variable?app_id=quote");
    expect([status, text]).toEqual([403, "token *** is not tkn_***aaaaa"]);
  });

  it("returns an error when no gateway answers", async () => {
    const { status, text } = await agent.send("/v1/env_variable?app_id=fail");
    expect([status, text]).toEqual([500, '{"error_code":"agent.allRetryFailed"}']);
  });
});

describe("an agent whose first gateway has no token and does not answer", () => {
  let gateway: RecordingGateway;
  let agent: AgentProcess;

  beforeAll(async () => {
    gateway = await startGateway();
    agent = await startAgent({
      config: `[gateway]\nurls = ["http://${ownLoopback()}:9", "${gateway.url}?token=t2"]\n`,
    });
  });
  afterAll(async () => {
    await agent.stop();
    await gateway.close();
  });

  const labels = { object_class: "a", object_name: "b", key: "c", value: 1, labels: [] };
  const handedOn = [
    ["query/raw", json({ token: "own", queries: [] })],
    ["object/labels", json(labels)],
    ["object/labels", json(labels, "DELETE")],
  ] as const;

  it.each([
    ["query/raw", json({ queries: [] }), "agent.gatewayTokenMissing"],
    ["query/raw", json({ token: "" }), "agent.gatewayTokenMissing"],
    ["env_variable?app_id=a", {}, "agent.tokenMissing"],
  ])("refuses /v1/%s with %j, which needs the missing token", async (at, sent, code) => {
    const { status, text } = await agent.send(`/v1/${at}`, sent);
    expect([status, text]).toEqual([500, JSON.stringify({ error_code: code })]);
  });

  it.each(handedOn)(
    "forwards /v1/%s with %j to the next gateway, and returns an error when that one fails too",
    async (at, sent) => {
      gateway.behave((_request, response) => response.writeHead(404).end('{"from":"the next"}'));
      const next = await agent.send(`/v1/${at}`, sent);
      expect([next.status, next.text]).toEqual([404, '{"from":"the next"}']);
      gateway.behave(502);
      const { status, text } = await agent.send(`/v1/${at}`, sent);
      expect([status, text]).toEqual([500, '{"error_code":"agent.allRetryFailed"}']);
    },
  );
});
