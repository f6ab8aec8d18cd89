// Bulk requests over real HTTP (docs/inputs.md#elasticsearch), and the requests that senders make when they start.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({
    config: `[http_api]
request_rate_limit = 0
max_body_bytes = 65536
max_points = 20
[environments]
ENV_HOSTNAME = "web01"
[inputs.elasticsearch]
enable = true
version = "8.17.3"
token = "s3"
`,
    scripts: { "logging/mark.p": 'set_tag(marked, "yes")' },
  });
});
afterAll(() => agent.stop());

const headers = {
  "content-type": "application/x-ndjson",
  authorization: `ApiKey ${Buffer.from("id:s3").toString("base64")}`,
};
const bulk = (lines: readonly unknown[], path = "/_bulk", more: Record<string, string> = {}) =>
  agent.send(path, {
    body: lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
    headers: { ...headers, ...more },
  });
const linesOf = async (name: string) => (await agent.output("logging")).filter((line) => line.startsWith(`${name},`));

describe("a bulk request", () => {
  it.each(["", "/elasticsearch"])(
    "to %s/_bulk creates a log for each document, with exact numbers and times",
    async (prefix) => {
      const name = `app${prefix.length}`;
      const answer = await bulk(
        [
          { create: { _index: `${name}-2026.01.31` } },
          '{"@timestamp":"2023-11-14T22:13:20.123456789Z","message":"said","n":9007199254740993,"f":1.0,"ok":true,' +
            '"list":[1,"a"],"none":null,"host":{"name":"h1","os":{"family":"linux"}},"log":{"level":"error","file":{"path":"/a.log"}},' +
            '"labels":{"team":"web"},"kubernetes":{"pod_name":"p1","labels":{"app":"x"}},"service":{"name":"shop"}}',
          { index: { _index: name, _id: "1" } },
          { "@timestamp": 1700000000123, log: "from fluent-bit", source: "s" },
        ],
        `${prefix}/_bulk`,
      );
      expect([answer.status, answer.headers["x-elastic-product"], answer.headers["content-type"]]).toEqual([
        200,
        "Elasticsearch",
        "application/json",
      ]);
      const { took, ...rest } = JSON.parse(answer.text);
      expect(took).toBeGreaterThanOrEqual(0);
      expect(rest).toEqual({
        errors: false,
        items: [
          { create: { _index: `${name}-2026.01.31`, _version: 1, result: "created", status: 201 } },
          { index: { _index: name, _id: "1", _version: 1, result: "created", status: 201 } },
        ],
      });
      const [first, second] = await linesOf(name);
      expect(first).toBe(
        `${name},app=x,filename=/a.log,host=h1,pod_name=p1,service=shop,team=web f=1,host_os_family="linux",` +
          `list="[1,\\"a\\"]",log_level="error",message="said",n=9007199254740993i,ok=true,status="error" 1700000000123456789`,
      );
      expect(second).toBe(
        `${name},host=web01 document_source="s",message="from fluent-bit",status="unknown" 1700000000123000000`,
      );
    },
  );

  it("may have the index in its path, a pipeline parameter and a compressed body", async () => {
    const body = gzipSync('{"create":{}}\n{"message":"x"}\n');
    const answer = await agent.send("/zipped/_bulk?pipeline=mark", {
      body,
      headers: { ...headers, "content-encoding": "gzip" },
    });
    expect(answer.status).toBe(200);
    expect((await linesOf("zipped"))[0]).toContain("marked=yes");
  });

  it("may be sent with PUT", async () => {
    const body = '{"index":{"_index":"put"}}\n{"message":"x"}\n';
    expect((await agent.send("/_bulk", { method: "PUT", body, headers })).status).toBe(200);
    expect(await linesOf("put")).toHaveLength(1);
  });

  it("gets a result for each item, and its valid items are stored", async () => {
    const answer = await bulk([
      { create: { _index: "items" } },
      { message: "good" },
      { create: { _index: "items", _id: "2" } },
      '{"message":',
      { index: { _index: "items" } },
      [1],
      { delete: { _index: "items", _id: "4" } },
      { update: { _index: "items", _id: "5" } },
      { doc: {} },
      { create: { _index: "items" } },
      { "@timestamp": "yesterday", message: "x" },
      { create: { _index: "items" } },
      { message: "good too" },
    ]);
    const { errors, items } = JSON.parse(answer.text);
    expect([answer.status, errors]).toEqual([200, true]);
    expect(
      items.map((item: object) =>
        Object.entries(item).flatMap(([op, { status, error }]) => [op, status, error?.type, error?.reason]),
      ),
    ).toEqual([
      ["create", 201, undefined, undefined],
      ["create", 400, "document_parsing_exception", expect.stringMatching(/^failed to parse: .* at byte 11$/)],
      ["index", 400, "document_parsing_exception", "failed to parse: a document must be an object"],
      [
        "delete",
        400,
        "action_request_validation_exception",
        "the agent takes the actions create and index, not delete",
      ],
      [
        "update",
        400,
        "action_request_validation_exception",
        "the agent takes the actions create and index, not update",
      ],
      ["create", 400, "document_parsing_exception", "failed to parse: field [@timestamp] holds no time"],
      ["create", 201, undefined, undefined],
    ]);
    expect(items[1].create._id).toBe("2");
    expect(await linesOf("items")).toHaveLength(2);
  });

  it("gets the status 200 when all items are left out", async () => {
    const answer = await bulk([{ delete: { _index: "a", _id: "1" } }]);
    expect([answer.status, JSON.parse(answer.text).errors]).toEqual([200, true]);
  });

  it("gets the status 429 for documents beyond the limit, so that the sender sends them again", async () => {
    const lines = Array.from({ length: 23 }, (_, at) => [{ create: { _index: "many" } }, { message: `${at}` }]).flat();
    const { items } = JSON.parse((await bulk(lines)).text);
    const statuses = items.map(({ create }: { create: { status: number } }) => create.status);
    expect(statuses).toEqual([...Array(20).fill(201), 429, 429, 429]);
    expect(items[22].create.error.type).toBe("es_rejected_execution_exception");
    expect(await linesOf("many")).toHaveLength(20);
  });

  it("gets a short answer when it asks for errors and statuses only", async () => {
    const lines = [{ create: { _index: "brief" } }, { message: "x" }, { index: { _index: "brief" } }, "x"];
    const { text } = await bulk(lines, "/_bulk?filter_path=errors,items.*.error,items.*.status");
    expect(text).toMatch(
      /^\{"errors":true,"items":\[\{"create":\{"status":201\}\},\{"index":\{"status":400,"error":\{"type":"document_parsing_exception",/,
    );
  });

  it.each([
    ["no body", "", 400, "illegal_argument_exception", "request body is required"],
    ["blank lines", "\n \n", 400, "illegal_argument_exception", "the request holds no action"],
    ["no JSON", "x\n{}\n", 400, "illegal_argument_exception", "line 1: malformed action/metadata line, "],
    [
      "an unknown action",
      '{"put":{}}\n{}\n',
      400,
      "illegal_argument_exception",
      "line 1: malformed action/metadata line, one of create, index, update and delete is expected",
    ],
    [
      "a text as action",
      '{"create":"x"}\n{}\n',
      400,
      "illegal_argument_exception",
      "line 1: malformed action/metadata line, the action needs an object",
    ],
    [
      "a number as index",
      '{"create":{"_index":1}}\n{}\n',
      400,
      "illegal_argument_exception",
      "line 1: malformed action/metadata line, _index must be a text",
    ],
    [
      "a missing document",
      '{"create":{}}\n',
      400,
      "illegal_argument_exception",
      "line 1: the line of its document is missing",
    ],
    [
      "deep documents",
      `{"create":{}}\n${"[".repeat(1500)}\n`,
      400,
      "illegal_argument_exception",
      "nested deeper than 1000",
    ],
    ["too much", "x".repeat(65537), 413, "content_too_long_exception", "body exceeds 65536 bytes"],
  ])("is refused as a whole: %s", async (_, body, status, type, reason) => {
    const answer = await agent.send("/_bulk", { method: "POST", body, headers });
    const { error, ...rest } = JSON.parse(answer.text);
    expect([answer.status, rest.status, error.type]).toEqual([status, status, type]);
    expect(error.reason.slice(0, reason.length)).toBe(reason);
    expect(answer.headers["x-elastic-product"]).toBe("Elasticsearch");
  });

  it("is refused with 401 without a token", async () => {
    const answer = await agent.send("/_bulk", { body: '{"create":{}}\n{}\n' });
    expect([answer.status, answer.headers["www-authenticate"], JSON.parse(answer.text).error.type]).toEqual([
      401,
      "ApiKey",
      "security_exception",
    ]);
  });
});

describe("requests that senders make when they start", () => {
  it.each(["/", "/elasticsearch", "/elasticsearch/"])("%s tells the version", async (path) => {
    const answer = await agent.send(path, { headers });
    expect([answer.status, answer.headers["x-elastic-product"]]).toEqual([200, "Elasticsearch"]);
    expect(JSON.parse(answer.text)).toMatchObject({
      name: "web01",
      version: { number: "8.17.3" },
      tagline: "You Know, for Search",
    });
  });

  it("/ returns the playground to browsers", async () => {
    const { headers: its, text } = await agent.send("/", { headers: { ...headers, accept: "text/html,*/*" } });
    expect(its["x-elastic-product"]).toBeUndefined();
    expect(text).not.toContain("You Know, for Search");
  });

  it.each([
    ["GET", "/_cluster/health", 200, { status: "green" }],
    ["GET", "/_license", 200, { license: { type: "basic", status: "active" } }],
    ["GET", "/_xpack", 200, { features: { ilm: { enabled: true } } }],
    ["GET", "/_template/filebeat", 200, {}],
    ["GET", "/_index_template/filebeat-8.17.3", 200, {}],
    ["PUT", "/_index_template/filebeat-8.17.3", 200, { acknowledged: true }],
    ["PUT", "/_ilm/policy/filebeat", 200, { acknowledged: true }],
    ["GET", "/_data_stream/filebeat-8.17.3", 200, {}],
    [
      "GET",
      "/_nodes/http",
      404,
      {
        status: 404,
        error: { reason: "nothing takes GET /_nodes/http; send to POST /_bulk, POST /elasticsearch/_bulk" },
      },
    ],
    ["POST", "/logs/_search", 404, { status: 404 }],
    ["GET", "/_bulk", 405, { status: 405 }],
  ])("%s %s is answered %i", async (method, path, status, expected) => {
    for (const prefix of ["", "/elasticsearch"]) {
      if (status !== 200 && prefix !== "") continue;
      const answer = await agent.send(`${prefix}${path}`, {
        method,
        headers,
        ...(method === "PUT" ? { body: "{}" } : {}),
      });
      expect(answer.status).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject(expected);
    }
  });

  it("HEAD returns 200 for the root and for a template", async () => {
    expect((await agent.send("/", { method: "HEAD", headers })).status).toBe(200);
    expect((await agent.send("/_template/x", { method: "HEAD", headers })).status).toBe(200);
  });

  it("/ returns the media type that newer clients accept", async () => {
    const accept = "application/vnd.elasticsearch+json; compatible-with=8";
    expect((await agent.send("/", { headers: { ...headers, accept } })).headers["content-type"]).toBe(accept);
  });
});
