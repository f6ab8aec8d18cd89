// The checks that a request must pass before its handler is called, and the answers to requests that fail a check
// (docs/reference/agent.md#answers).

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

describe("an agent with defaults", () => {
  let agent: AgentProcess;

  beforeAll(async () => {
    agent = await startAgent({ config: '[environments]\nENV_HOSTNAME = "web01"' });
  });

  afterAll(() => agent.stop());

  it("answers ping with version, uptime, host and commit, in this order", async () => {
    const { status, headers, text } = await agent.send("/v1/ping", { headers: { "x-forwarded-for": "8.8.8.8" } });
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(text).toMatch(
      /^\{"content":\{"version":"\d+\.\d+\.\d+","uptime":"[\d.]+m?s","host":"web01","commit":"[0-9a-f]*"\}\}$/,
    );
  });

  it("returns the clock for ntp, without a wrapper object", async () => {
    const before = Math.floor(Date.now() / 1000);
    const { timestamp_sec: seconds, ...rest } = JSON.parse((await agent.send("/v1/ntp")).text);
    expect(rest).toEqual({});
    expect(seconds).toBeGreaterThanOrEqual(before);
    expect(seconds).toBeLessThanOrEqual(Date.now() / 1000);
  });

  it("adds its name and the rate limits to every answer of a route", async () => {
    const { headers } = await agent.send("/v1/ntp", { headers: { "x-forwarded-for": "9.9.9.9, 8.8.8.8" } });
    expect(headers).toMatchObject({
      "x-rate-limit-limit": "100.00",
      "x-rate-limit-duration": "1",
      "x-rate-limit-request-forwarded-for": "9.9.9.9, 8.8.8.8",
      "access-control-allow-origin": "*",
    });
    expect(headers["x-agent"]).toMatch(/^\d+\.\d+\.\d+\/web01$/);
    expect(headers["x-rate-limit-request-remote-addr"]).toMatch(/^127\.0\.0\.1:\d+$/);
  });

  it.each([
    ["GET", "/nope"],
    ["POST", "/v1/ping"],
    ["HEAD", "/v1/ping"],
    ["GET", "/v1/write/metric"],
    ["DELETE", "/metrics"],
  ])("answers %s %s with the 404 page", async (method, path) => {
    const { status, headers, text } = await agent.send(path, { method });
    expect([status, headers.allow]).toEqual([404, undefined]);
    expect(headers["content-type"]).toMatch(/^text\/html/);
    if (method !== "HEAD") expect(text).toContain("Millrace");
  });

  it("shows version, time of the build, system and uptime on the 404 page", async () => {
    const built = readFileSync(new URL("../../../../dist/server/built-at.txt", import.meta.url), "utf8");
    expect(new Date(built).toISOString()).toBe(built);
    const { text } = await agent.send("/nope");
    const system = `${process.platform}/${process.arch}`;
    expect(text).toMatch(
      new RegExp(`Version \\d+\\.\\d+\\.\\d+( \\([0-9a-f]{10}\\))? of ${built}, ${system}, up [\\dhm.]+m?s\\.`),
    );
    expect((await agent.send("/metrics")).text).toContain(`build_at="${built}"`);
  });

  it("redirects a path with one slash too many, without further headers", async () => {
    const get = await agent.send("/v1/ping/?a=b");
    expect([get.status, get.headers.location, get.headers["x-agent"]]).toEqual([301, "/v1/ping?a=b", undefined]);
    const post = await agent.send("/v1/write/metric/", { method: "POST", body: "m v=1i" });
    expect([post.status, post.headers.location]).toEqual([307, "/v1/write/metric"]);
    expect((await agent.send("/nope/")).status).toBe(404);
  });

  it("answers a preflight request for any path, also from remote clients", async () => {
    const { status, headers } = await agent.send("/anything", {
      method: "OPTIONS",
      headers: { "x-real-ip": "8.8.8.8" },
    });
    expect(status).toBe(204);
    expect(headers["access-control-allow-methods"]).toBe("POST, OPTIONS, GET, PUT, DELETE");
  });

  it("refuses private and unknown paths to clients that a proxy names", async () => {
    for (const path of ["/metrics", "/nope"]) {
      const { status, text } = await agent.send(path, { headers: { "x-forwarded-for": "127.0.0.1" } });
      expect(status).toBe(403);
      expect(JSON.parse(text)).toEqual({
        error_code: "agent.publicAccessDisabled",
        message: `api ${path} disabled from external IP, only loopback(localhost) allowed`,
      });
    }
  });

  it("refuses private paths to requests with a foreign origin or a foreign host name", async () => {
    const origin = await agent.send("/metrics", { headers: { origin: "https://evil.example" } });
    expect([origin.status, origin.headers["access-control-allow-origin"]]).toEqual([403, undefined]);
    const host = await agent.send("/metrics", { headers: { host: "evil.example" } });
    expect([host.status, JSON.parse(host.text).error_code]).toEqual([403, "agent.publicAccessDisabled"]);
    expect((await agent.send("/metrics", { headers: { origin: agent.url } })).status).toBe(200);
    const write = await agent.send("/v1/write/metric", { body: "m v=1i", headers: { origin: "https://any.example" } });
    expect([write.status, write.headers["access-control-allow-origin"]]).toEqual([200, "https://any.example"]);
  });

  it("returns metrics in the text format, compressed when requested", async () => {
    await agent.send("/v1/ping");
    await agent.send("/nope");
    // The agent counts a request only after its answer was sent, so the counter may change a moment later.
    await expect.poll(() => agent.metric('agent_http_api_total{api="/v1/ping",method="GET",status="OK"}')).not.toBe(0);
    await expect
      .poll(() => agent.metric('agent_http_api_total{api="404-page",method="GET",status="Not Found"}'))
      .not.toBe(0);
    const plain = await agent.send("/metrics");
    expect(plain.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(plain.text).toMatch(/^agent_http_api_total\{api="\/v1\/ping",method="GET",status="OK"\} [1-9]/m);
    expect(plain.text).toMatch(/^agent_http_api_total\{api="404-page",method="GET",status="Not Found"\} [1-9]/m);
    expect(plain.text).toMatch(/^agent_uptime_seconds\{hostname="web01",/m);
    const packed = await agent.send("/metrics", { headers: { "accept-encoding": "gzip" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(packed.body).toString()).toContain("agent_http_api_total");
  });

  it("survives requests that are no HTTP", async () => {
    const { hostname, port } = new URL(agent.url);
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connect(Number(port), hostname, () => socket.end("no http\r\n\r\n"));
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("error", () => {});
      socket.on("close", () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await agent.send("/v1/ping")).status).toBe(200);
  });
});

describe("an agent with limits", () => {
  it("limits the request rate of each client on each path", async () => {
    const agent = await startAgent({
      config: '[http_api]\nrequest_rate_limit = 0.01\nrequest_rate_limit_burst = 2\ntrusted_proxies = ["127.0.0.0/8"]',
    });
    const from = (ip: string, path = "/v1/ping") => agent.send(path, { headers: { "x-forwarded-for": ip } });
    const answers = [await from("1.1.1.1"), await from("1.1.1.1"), await from("1.1.1.1")];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2].text).toBe('{"error_code":"agent.reachMaxAPILimit"}');
    expect(answers[2].headers["x-rate-limit-limit"]).toBe("0.01");
    expect((await from("1.1.1.1", "/v1/ntp")).status).toBe(200);
    expect((await from("2.2.2.2")).status).toBe(200);
    await agent.stop();
  });

  it("ignores forwarding headers of a client in the rate limit", async () => {
    const agent = await startAgent({ config: "[http_api]\nrequest_rate_limit = 0.01\nrequest_rate_limit_burst = 1" });
    onTestFinished(() => agent.stop());
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await agent.send("/v1/ping", { headers })).status;
    expect(await status({ "x-forwarded-for": "1.1.1.1" })).toBe(200);
    expect(await status({ "x-forwarded-for": "2.2.2.2" })).toBe(429);
    expect(await status({ "x-real-ip": "3.3.3.3" })).toBe(429);
    expect(await status({ forwarded: "for=4.4.4.4" })).toBe(429);
  });

  it("identifies a client behind proxies by the last address that is no proxy, IPv6 by the first 64 bits", async () => {
    const agent = await startAgent({
      config:
        '[http_api]\nrequest_rate_limit = 0.01\nrequest_rate_limit_burst = 1\ntrusted_proxies = ["127.0.0.1", "10.0.0.0/8"]',
    });
    onTestFinished(() => agent.stop());
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await agent.send("/v1/ping", { headers })).status;
    const forwarded = (value: string) => status({ "x-forwarded-for": value });
    expect(await forwarded("1.1.1.1, 2001:db8::1")).toBe(200);
    expect(await forwarded("2.2.2.2, 2001:db8:0:0:ffff::9")).toBe(429);
    expect(await forwarded("2001:db8:0:1::1")).toBe(200);
    expect(await status({ "x-real-ip": "3.3.3.3" })).toBe(200);
    expect(await status({ "x-forwarded-for": "3.3.3.3", "x-real-ip": "4.4.4.4" })).toBe(429);
    expect(await status({})).toBe(200);
    expect(await forwarded("127.0.0.1")).toBe(429);
    expect(await forwarded("5.5.5.5, 10.0.0.1")).toBe(200);
    expect(await forwarded("5.5.5.5:8080, 10.0.0.2")).toBe(429);
    expect(await status({ forwarded: 'for="[2001:db8:0:9::1]:4711";proto=http' })).toBe(200);
    expect(await forwarded("2001:db8:0:9::2")).toBe(429);
  });

  it("answers 408 when a body does not arrive, and continues to serve", async () => {
    const agent = await startAgent({ config: '[http_api]\ntimeout = "5s"' });
    const { hostname, port } = new URL(agent.url);
    const answer = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connect(Number(port), hostname, () => {
        socket.write(`POST /v1/write/metric HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nm v=`);
      });
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("close", () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain("\r\n\r\ntimeout(5s)");
    expect(answer).toContain("text/plain; charset=utf-8");
    expect(answer.toLowerCase()).not.toContain("x-agent");
    expect((await agent.send("/v1/write/metric", { body: "m v=1i" })).status).toBe(200);
    await expect
      .poll(() => agent.metric('agent_http_api_total{api="/v1/write/metric",method="POST",status="Request Timeout"}'))
      .toBe(1);
    await agent.stop();
  });

  it.each([
    ["that does not come", "Content-Length: 800\r\n\r\nm v="],
    ["that is refused and does not end", `Transfer-Encoding: chunked\r\n\r\n320\r\n${"#".repeat(800)}\r\n320\r\n###`],
  ])("releases the bytes of a body %s after it is answered 408", async (_name, sent) => {
    const agent = await startAgent({
      config: '[http_api]\ntimeout = "5s"\nmax_inflight_bytes = 1000\nmax_body_bytes = 801',
    });
    onTestFinished(() => agent.stop());
    const { hostname, port } = new URL(agent.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write(`POST /v1/write/metric HTTP/1.1\r\nHost: localhost\r\n${sent}`);
    await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBeGreaterThan(700);
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 408 /);
    await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBe(0);
    const full = `m v=1i\n${"#".repeat(700)}`;
    expect((await agent.send("/v1/write/metric", { body: full })).status).toBe(200);
  });

  it("answers 503 when too many bytes are in flight, and serves again when they are released", async () => {
    const agent = await startAgent({
      config: '[http_api]\nmax_inflight_bytes = 1000\nmax_body_bytes = 1000\ntimeout = "10m"',
    });
    const { hostname, port } = new URL(agent.url);
    const socket = connect(Number(port), hostname, () => {
      socket.write("POST /v1/write/metric HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nm v=");
    });
    await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBe(1000);
    const full = await agent.send("/v1/write/metric", { body: `m v=1i\n${"#".repeat(400)}` });
    expect([full.status, full.headers["retry-after"], JSON.parse(full.text).error_code]).toEqual([
      503,
      "1",
      "agent.tooManyBytesInFlight",
    ]);
    const { status, text } = await agent.send("/readyz");
    expect([status, text]).toEqual([503, '{"status":"not ready","problems":["too many bytes in flight"]}']);
    socket.destroy();
    await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBe(0);
    expect((await agent.send("/readyz")).status).toBe(200);
    expect((await agent.send("/v1/write/metric", { body: "m v=1i" })).status).toBe(200);
    await agent.stop();
  });

  it("returns a plain 404 for unknown paths when configured, and opens listed paths", async () => {
    const agent = await startAgent({ config: '[http_api]\ndisable_404page = true\npublic_apis = ["/metrics"]' });
    const unknown = await agent.send("/nope");
    expect([unknown.status, unknown.text, unknown.headers["content-type"]]).toEqual([
      404,
      "404 page not found",
      "text/plain",
    ]);
    const far = { "x-real-ip": "8.8.8.8" };
    expect((await agent.send("/metrics", { headers: far })).status).toBe(200);
    expect((await agent.send("/v1/write/metric", { body: "m v=1i", headers: far })).status).toBe(403);
    await agent.stop();
  });
});
