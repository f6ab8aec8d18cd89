// More writes than the worker threads can handle: writes beyond the limit are refused at once, and all other requests
// are answered.

import { type ClientRequest, request } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const scripts = { "logging/loop.p": "for ;; { x = 1 }\n", "logging/mark.p": 'add_key(marked, "yes")\n' };
const endless = "[pipeline]\nmax_steps_per_point = 0\nmax_steps_per_write = 0\n";

async function open(config: string): Promise<AgentProcess> {
  const agent = await startAgent({ config: `[http_api]\nrequest_rate_limit = 0\nworkers = 1\n${config}`, scripts });
  onTestFinished(() => agent.stop());
  return agent;
}

/** Sends a write and does not wait for its answer. */
function begin(agent: AgentProcess, path: string): ClientRequest {
  const call = request(`${agent.url}${path}`, { method: "POST", agent: false });
  call.on("error", () => {});
  call.end("log n=1i");
  return call;
}

const ready = async (agent: AgentProcess) => (await agent.send("/readyz")).text;

it("writes are answered 503 before they are decoded when too many writes wait for a thread", async () => {
  const agent = await open(`timeout = "10m"\nmax_waiting_writes = 2\n${endless}match_by_name = false\n`);
  const looping = Array.from({ length: 3 }, () => begin(agent, "/v1/write/logging?source=loop"));
  await expect.poll(() => ready(agent)).toContain("too many writes wait for a thread");

  const large = "log n=1i\n".repeat(4000);
  const status = async (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    (await agent.send(path, { body, headers })).status;
  const refused = await agent.send("/v1/write/logging?source=mark", {
    // The header says gzip, but the body is not compressed. The agent would answer 400 if it decompressed the body. So
    // the answer 503 shows that the agent did not read the body.
    body: "log n=1i",
    headers: { "content-encoding": "gzip" },
  });
  expect([refused.status, refused.headers["retry-after"], JSON.parse(refused.text).error_code]).toEqual([
    503,
    "1",
    "agent.tooManyWritesWaiting",
  ]);
  expect(await status("/v1/write/logging", large)).toBe(503);
  expect(await status("/v1/write/logging", gzipSync(large), { "content-encoding": "gzip" })).toBe(503);
  expect(await status("/v1/write/logstreaming", "a line")).toBe(503);
  // The compressed body is cut off, and decompressing it would give the status 400. So the status 503 shows that the
  // agent did not decompress it.
  const torn = gzipSync(large).subarray(0, -8);
  expect(await status("/v1/write/logstreaming?type=influxdb", torn, { "content-encoding": "gzip" })).toBe(503);
  // The agent still answers requests that need no worker thread.
  expect(await status("/v1/write/logging", "log n=1i")).toBe(200);
  expect(await status("/v1/write/logging", gzipSync("log n=1i"), { "content-encoding": "gzip" })).toBe(200);
  expect(await status("/v1/write/logstreaming?type=influxdb", "log n=1i")).toBe(200);
  expect((await agent.send("/v1/ping")).status).toBe(200);
  const sample = 'agent_http_api_total{api="/v1/write/logging",method="POST",status="Service Unavailable"}';
  await expect.poll(() => agent.metric(sample)).toBe(3);

  for (const call of looping) call.destroy();
  await expect.poll(() => ready(agent)).toContain('"ready"');
  expect(await status("/v1/write/logging?source=mark", "log n=2i")).toBe(200);
  expect(await agent.output("logging")).toContainEqual(expect.stringContaining('marked="yes"'));
});

it("writes with endless scripts end with their connection, and later writes find a free thread", async () => {
  const agent = await open(`timeout = "2s"\n${endless}`);
  const { hostname, port } = new URL(agent.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket
    .on("error", () => {})
    .on("data", (chunk) => {
      text += chunk;
    });
  const one = "POST /v1/write/logging?source=loop HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\nlog n=1i";
  socket.write(one.repeat(2000));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await expect.poll(() => agent.send("/v1/write/logging", { body: "log n=1i" }).then(({ status }) => status)).toBe(200);
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBe(0);
  const next = () => agent.send("/v1/write/logging?source=mark", { body: "log n=2i" });
  await expect.poll(() => next().then(({ status }) => status)).toBe(200);
  expect(agent.log()).not.toContain("MaxListeners");
});

it("thousands of writes over one connection are answered in order while other clients are served", async () => {
  const agent = await open("");
  const { hostname, port } = new URL(agent.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  const count = 3000;
  const one = (at: number) => {
    const body = `log n=${at}i 1`;
    const path = "/v1/write/logging?dry=1&echo=lp";
    return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  socket.write(Array.from({ length: count }, (_, at) => one(at)).join(""));
  expect((await agent.send("/v1/ping")).status).toBe(200);
  await expect.poll(() => text.includes(`n=${count - 1}i`)).toBe(true);
  expect([...text.matchAll(/ n=(\d+)i/g)].map(([, at]) => Number(at))).toEqual(
    Array.from({ length: count }, (_, at) => at),
  );
  expect(agent.log()).not.toContain("MaxListeners");
});
