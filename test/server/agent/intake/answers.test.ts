// An agent may accept connections in several processes: a main process and intake processes. Each request must get the
// same answer, byte for byte, as from an agent with one process, whichever process has accepted the connection.

import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childrenOf, openClientOf } from "../../support/processes.ts";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const configOf = (gateway: RecordingGateway, processes: number) => `[http_api]
request_rate_limit = 0
processes = ${processes}
workers = 1
max_body_bytes = 300000
[gateway]
urls = ["${gateway.url}"]
[io]
flush_interval = "20ms"
[io.filters]
security = ["{ level in ['debug'] }"]
[global_host_tags]
dc = "x"
[environments]
ENV_HOSTNAME = "web01"
`;

let gateway: RecordingGateway;
let alone: AgentProcess;
let agent: AgentProcess;

beforeAll(async () => {
  gateway = await startGateway();
  const scripts = { "logging/upper.p": "grok(_, '%{WORD:word}')" };
  [alone, agent] = await Promise.all(
    [1, 3].map((processes) => startAgent({ config: configOf(gateway, processes), scripts })),
  );
});

afterAll(async () => {
  await Promise.all([alone.stop(), agent.stop()]);
  await gateway.close();
});

const bytesOf = (head: string, body: string | Uint8Array = "") => {
  const bytes = Buffer.from(body);
  const length = bytes.length === 0 ? "" : `Content-Length: ${bytes.length}\r\n`;
  return Buffer.concat([Buffer.from(`${head}\r\n${length}\r\n`), bytes]);
};
const ask = (line: string, headers = "", body: string | Uint8Array = "") =>
  bytesOf(`${line} HTTP/1.1\r\nHost: localhost\r\n${headers}`.trimEnd(), body);
const write = (path: string, body: string | Uint8Array = "m,host=a v=1i 1700000000", headers = "") =>
  ask(`POST /v1/write/${path}`, headers, body);
const json = "Content-Type: application/json\r\n";
const point = Buffer.from("0a110a016d12060a017518ac021880a8d6b907", "hex");

const requests: readonly (readonly [name: string, request: Uint8Array])[] = [
  ["ping", ask("GET /v1/ping")],
  ...[
    "metric",
    "network",
    "keyevent",
    "object",
    "custom_object",
    "logging",
    "tracing",
    "rum",
    "security",
    "profiling",
  ].map((category) => [`a write of ${category}`, write(category)] as const),
  ...["lp", "json", "pbjson"].map((form) => [`an echo as ${form}`, write(`metric?dry=1&echo=${form}`)] as const),
  ["an echo of points a script ran over", write("logging?dry=1&echo=lp&source=upper", 'l message="one two" 1')],
  ["an echo of points the filters drop", write("security?dry=1&echo=lp", 's level="debug" 1\ns level="info" 1')],
  ["an echo, compressed", write("metric?dry=1&echo=lp", "m v=1i 1\n".repeat(500), "Accept-Encoding: gzip\r\n")],
  ["precision", write("metric?dry=1&echo=lp&precision=ms", "m v=1i 1700000000123")],
  ["no global tags", write("metric?dry=1&echo=lp&ignore_global_tags=1")],
  ["election tags", write("metric?dry=1&echo=lp&global_election_tags=1")],
  ["JSON", write("metric?dry=1&echo=lp", '[{"measurement":"m","fields":{"v":1},"time":1}]', json)],
  ["protobuf", write("metric?dry=1&echo=lp", point, "Content-Type: application/protobuf; proto=com.example.Point\r\n")],
  ["gzip, told by the header", write("metric?dry=1&echo=lp", gzipSync("m v=1i 1"), "Content-Encoding: gzip\r\n")],
  ["brotli, told by the query", write("metric?dry=1&echo=lp&encoding=br", brotliCompressSync("m v=1i 1"))],
  ["an encoding that is none", write("metric", "m v=1i 1", "Content-Encoding: odd\r\n")],
  ["gzip that is none", write("metric", "m v=1i 1", "Content-Encoding: gzip\r\n")],
  ["strict", write("metric?strict=1", "m v=1i 1\nm v=")],
  ["a bad line", write("metric", "m v=")],
  ["bad JSON", write("metric", "[", json)],
  ["an empty body", ask("POST /v1/write/metric", "Content-Length: 0")],
  ["no length", ask("POST /v1/write/metric")],
  ["a storage index", write("logging?storage_index=own")],
  ["a bad storage index", write("logging?storage_index=Own")],
  ["a category that is none", write("nope")],
  ["a path of a category with a slash too many", write("metric/")],
  ["a large body", write("metric", "m v=1i 1\n".repeat(30_000))],
  ["a body that is too large", write("metric", "m v=1i 1\n".repeat(40_000))],
  [
    "a body that becomes too large",
    write("metric", gzipSync("m v=1i 1\n".repeat(40_000)), "Content-Encoding: gzip\r\n"),
  ],
  ["large JSON that is too large", write("metric", `[${" ".repeat(400_000)}]`, json)],
  [
    "a chunked body",
    Buffer.from(
      "POST /v1/write/metric?dry=1&echo=lp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nm v=1i 1\r\n0\r\n\r\n",
    ),
  ],
  ["a body that is announced", write("metric", "m v=1i 1", "Expect: 100-continue\r\n")],
  ["a body that is announced to the main process", write("rum", "m v=1i 1", "Expect: 100-continue\r\n")],
  ["the end of the connection", write("metric?dry=1", "m v=1i 1", "Connection: close\r\n")],
  ["the end of the connection after another request", ask("GET /v1/ping", "Connection: close")],
  ["a trace", write("metric", "m v=1i 1", "X-Trace-Id: mine\r\n")],
  ["a write of a foreign page", write("metric", "m v=1i 1", "Origin: https://example.org\r\n")],
  ["a question of a foreign page", ask("GET /v1/global/host/tags", "Origin: https://example.org")],
  ["a question of a page of its own", ask("GET /v1/global/host/tags", "Origin: http://localhost")],
  ["a question of an odd host", bytesOf("GET /v1/global/host/tags HTTP/1.1\r\nHost: example.org")],
  ["a write of an odd host", bytesOf("POST /v1/write/metric HTTP/1.1\r\nHost: example.org", "m v=1i 1")],
  ["a question of a client elsewhere", ask("GET /v1/global/host/tags", "X-Forwarded-For: 8.8.8.8")],
  ["a write of a client elsewhere", write("metric", "m v=1i 1", "X-Forwarded-For: 8.8.8.8\r\n")],
  [
    "a page that asks before it writes",
    ask("OPTIONS /v1/write/metric", "Origin: https://example.org\r\nAccess-Control-Request-Method: POST"),
  ],
  [
    "a page that asks before it looks",
    ask("OPTIONS /v1/ping", "Origin: https://example.org\r\nAccess-Control-Request-Method: GET"),
  ],
  ["HEAD", ask("HEAD /v1/ping")],
  ["HEAD of a write", ask("HEAD /v1/write/metric")],
  ["a path that is none", ask("GET /nope")],
  ["a path that cannot be decoded", ask("GET /%zz")],
  ["a path of high bytes", Buffer.from("GET /caf\xe9 HTTP/1.1\r\nHost: localhost\r\n\r\n", "latin1")],
  ["an odd method", ask("PROPFIND /v1/ping")],
  ["the whole URL in place of the path", ask("POST http://localhost/v1/write/metric", "", "m v=1i 1")],
  ["global tags", ask("GET /v1/global/host/tags")],
  ["global tags that are switched off", ask("POST /v1/global/election/tags?a=b")],
  [
    "the debug interface",
    ask(
      "POST /v1/pipeline/debug",
      json,
      JSON.stringify({
        pipeline: { logging: { "t.p": Buffer.from("add_key(a, 1)").toString("base64") } },
        script_name: "t",
        category: "logging",
        data: [Buffer.from('l message="x" 1').toString("base64")],
        data_type: "application/line-protocol",
      }),
    ),
  ],
  ["the debug interface with a bad body", ask("POST /v1/pipeline/debug", json, "{")],
  ["what is healthy", ask("GET /healthz")],
  ["what is ready", ask("GET /readyz")],
  ["the page", ask("GET /")],
  ["the page, compressed", ask("GET /", "Accept-Encoding: gzip, br")],
  ["HTTP 1.0", Buffer.from("GET /v1/ping HTTP/1.0\r\nHost: localhost\r\n\r\n")],
  ["HTTP 1.0 without a host", Buffer.from("GET /v1/ping HTTP/1.0\r\n\r\n")],
  ["a page in HTTP 1.0", Buffer.from("GET / HTTP/1.0\r\n\r\n")],
  ["HTTP 1.1 without a host", Buffer.from("GET /v1/ping HTTP/1.1\r\n\r\n")],
  ["HTTP 1.0 that stays", Buffer.from("GET /v1/ping HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")],
  ["another protocol", ask("GET /v1/ping", "Connection: upgrade\r\nUpgrade: websocket")],
  ["what is no HTTP", Buffer.from("this is no HTTP\r\n\r\n")],
  ["a length that is none", ask("POST /v1/write/metric", "Content-Length: many")],
  ["two lengths", ask("POST /v1/write/metric", "Content-Length: 2\r\nContent-Length: 3")],
  ["headers that are too large", ask("GET /v1/ping", `X-Large: ${"x".repeat(20_000)}`)],
  ["headers that are large", ask("GET /v1/ping", `X-Large: ${"x".repeat(16_000)}`)],
];

/** Replaces the parts of an answer that differ from moment to moment, such as dates and trace ids. */
function masked(answer: string): string {
  const same = answer.replace(/^Date: .*$/im, "Date: now").replace(/trace_[0-9a-f-]{36}/g, "trace_id");
  const timeless = same.replace(/"(uptime|cost)":"[^"]*"/, '"$1":"some"').replace(/up(time)? [\d.hmsµ]+/, "up some");
  // The answer for an unknown path is an HTML page that shows the uptime, so the length of the page differs
  // between the agents. Therefore the test also masks Content-Length. It does so in the answer to HEAD, too, which
  // has no page.
  return timeless === same && !same.includes("text/html")
    ? same
    : timeless.replace(/^content-length: \d+$/im, "content-length: some");
}

async function answered(its: AgentProcess, pid: number, request: Uint8Array) {
  const client = await openClientOf(its, pid);
  const answer = masked(await client.ask(request));
  // A second request on the same connection shows whether the connection is still open after the first answer.
  const next = client.isOver ? "" : masked(await client.ask(ask("GET /healthz")));
  client.close();
  return [answer, next];
}

describe("the answer of every process of an agent, which equals the answer of a single process, to", () => {
  it.each(requests)("%s", async (_name, request) => {
    const expected = await answered(alone, alone.pid, request);
    expect(expected[0]).toMatch(/^HTTP\/1\.1 \d{3} /);
    expect(await answered(agent, childrenOf(agent.pid)[1], request)).toEqual(expected);
    expect(await answered(agent, agent.pid, request)).toEqual(expected);
  });
});
