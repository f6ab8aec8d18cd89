// Tests which clients may call which HTTP interface of the agent (docs/access.md): programs on this machine, on another
// machine or behind a proxy, and pages in a browser.

import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, type Answer, startAgent } from "../../support/running-agent.ts";

/**
 * An IPv4 address of this machine other than loopback. The agent treats a client at this address like a client on
 * another machine. Undefined when this machine has no such address.
 */
const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find((each) => !each.internal && each.family === "IPv4")?.address;

const everywhere = ["--listen", "0.0.0.0:0"];
const portOf = ({ url }: AgentProcess) => new URL(url).port;
const localUrl = (its: AgentProcess) => `http://127.0.0.1:${portOf(its)}`;
const outsideUrl = (its: AgentProcess) => `http://${outside}:${portOf(its)}`;

type Headers = Readonly<Record<string, string>>;
const corsOf = ({ headers }: Answer) => Object.keys(headers).filter((name) => name.startsWith("access-control-"));
const refusal = (path: string, why: string) => [
  403,
  JSON.stringify({ error_code: "agent.publicAccessDisabled", message: `api ${path} disabled ${why}` }),
  "application/json",
];
const shown = ({ status, text, headers }: Answer) => [status, text, headers["content-type"]];
const external = "from external IP, only loopback(localhost) allowed";

describe("access by default", () => {
  let agent: AgentProcess;
  beforeAll(async () => {
    agent = await startAgent({ args: everywhere, config: "[http_api]\nrequest_rate_limit = 0" });
  });
  afterAll(() => agent.stop());
  const ask = (method: string, path: string, headers: Headers = {}, url = localUrl(agent)) =>
    agent.send(path, { method, headers }, url);

  it.each([
    ["GET", "/v1/ping"],
    ["GET", "/v1/ntp"],
    ["POST", "/v1/write/metric"],
    ["POST", "/v1/write/logging"],
    ["POST", "/v1/write/profiling"],
  ])("%s %s is allowed for everybody, and for pages of any origin", async (method, path) => {
    const origin = "https://any.example";
    const headers = { origin, host: "any.example", "x-forwarded-for": "8.8.8.8" };
    for (const url of outside === undefined ? [localUrl(agent)] : [localUrl(agent), outsideUrl(agent)]) {
      const answer = await ask(method, path, headers, url);
      expect(answer.status).toBe(method === "GET" ? 200 : 400);
      expect(answer.headers["access-control-allow-origin"]).toBe(origin);
      const preflight = await ask("OPTIONS", path, headers, url);
      expect([preflight.status, preflight.headers["access-control-allow-origin"]]).toEqual([204, origin]);
    }
  });

  it.each([
    ["POST", "/v1/object/labels"],
    ["DELETE", "/v1/object/labels"],
    ["PUT", "/v1/sourcemap"],
    ["DELETE", "/v1/sourcemap"],
    ["GET", "/v1/sourcemap/check"],
    ["GET", "/v1/global/host/tags"],
    ["POST", "/v1/global/host/tags"],
    ["DELETE", "/v1/global/host/tags"],
    ["GET", "/v1/global/election/tags"],
    ["POST", "/v1/global/election/tags"],
    ["DELETE", "/v1/global/election/tags"],
    ["POST", "/v1/pipeline/debug"],
    ["GET", "/v1/pipeline/scripts"],
    ["POST", "/v1/pipeline/scripts"],
    ["POST", "/v1/pipeline/scripts/back"],
    ["POST", "/v1/pipeline/live"],
    ["POST", "/v1/dialtesting/debug"],
    ["GET", "/v1/env_variable"],
    ["GET", "/metrics"],
    ["POST", "/v1/lasterror"],
    ["POST", "/v1/query/raw"],
    ["GET", "/restart"],
    ["POST", "/v1/write/logstreaming"],
    ["POST", "/prom_remote_write"],
    ["POST", "/v1/traces"],
    ["POST", "/v1/metrics"],
    ["POST", "/v1/logs"],
    ["POST", "/otel/v1/traces"],
    ["POST", "/otel/v1/metrics"],
    ["POST", "/otel/v1/logs"],
    ["GET", "/monitor"],
    ["GET", "/healthz"],
    ["GET", "/readyz"],
    ["GET", "/"],
    ["GET", "/assets/some.js"],
    ["POST", "/v1/write/some"],
    ["GET", "/nope"],
    ["GET", "/nope/"],
  ])("%s %s is allowed only for programs of this machine and the agent's own pages", async (method, path) => {
    const own = await ask(method, path, { host: "localhost:1", origin: "http://localhost:1" });
    expect([own.status, own.text]).not.toEqual(refusal(path, expect.anything()).slice(0, 2));
    expect(own.text).not.toContain("agent.publicAccessDisabled");
    expect(own.headers["access-control-allow-origin"]).toBe("http://localhost:1");

    const refused = async (why: string, headers: Headers, url = localUrl(agent)) => {
      const answer = await ask(method, path, headers, url);
      expect(shown(answer)).toEqual(refusal(path, why));
      expect(corsOf(answer)).toEqual([]);
    };
    const origin = "https://evil.example";
    await refused(external, { "x-forwarded-for": "127.0.0.1" });
    await refused(external, { "x-real-ip": "127.0.0.1" });
    await refused('for origin "https://evil.example"', { origin });
    await refused('for host "evil.example"', { host: "evil.example", origin: "http://evil.example" });
    if (outside !== undefined) await refused(external, { host: "localhost" }, outsideUrl(agent));
    const preflight = await ask("OPTIONS", path, { origin, "access-control-request-method": method });
    expect([preflight.status, corsOf(preflight)]).toEqual([204, []]);
  });

  it.each<[why: string, headers: Headers]>([
    ["", {}],
    ["", { host: "LOCALHOST" }],
    ["", { host: "[::1]:9529" }],
    ['for host "0.0.0.0:80"', { host: "0.0.0.0:80" }],
    ["", { "x-forwarded-for": "", "x-real-ip": "" }],
    [external, { forwarded: "for=8.8.8.8" }],
    [external, { "x-forwarded-for": "::1" }],
    [external, { "x-forwarded-for": "localhost, 127.0.0.1", host: "localhost" }],
    [external, { "x-real-ip": " nonsense" }],
    ['for origin "null"', { origin: "null" }],
    ['for origin ""', { origin: "" }],
    ['for origin "http://localhost:1"', { origin: "http://localhost:1" }],
    ['for origin "https://localhost"', { host: "localhost", origin: "https://localhost" }],
    ['for host "127.0.0.1.evil.example:9529"', { host: "127.0.0.1.evil.example:9529" }],
    ['for host "localhost."', { host: "localhost." }],
    ['for host "localhost:80:90"', { host: "localhost:80:90" }],
  ])("/metrics has the refusal reason [%s], empty if allowed, with the headers %j", async (why, headers) => {
    const answer = await ask("GET", "/metrics", headers);
    if (why === "") expect(answer.status).toBe(200);
    else expect(shown(answer)).toEqual(refusal("/metrics", why));
  });

  it("a path with an extra slash is redirected only when the path is public", async () => {
    const far = { "x-forwarded-for": "8.8.8.8" };
    const open = await ask("GET", "/v1/ping/", far);
    expect([open.status, open.headers.location, corsOf(open)]).toEqual([301, "/v1/ping", []]);
    for (const path of ["/metrics/", "/restart/", "/nope/"]) {
      const refused = await ask("GET", path, far);
      expect(shown(refused)).toEqual(refusal(path, external));
      expect(refused.headers.location).toBeUndefined();
    }
  });

  it.skipIf(outside === undefined)("no header makes a remote client local", async () => {
    for (const [name, value] of Object.entries({
      "x-forwarded-for": "",
      forwarded: "for=127.0.0.1",
      "x-real-ip": "127.0.0.1",
    })) {
      const answer = await ask("GET", "/metrics", { host: "localhost", [name]: value }, outsideUrl(agent));
      expect(shown(answer)).toEqual(refusal("/metrics", external));
    }
  });
});

describe("access that a configuration allows", () => {
  let agent: AgentProcess;
  beforeAll(async () => {
    agent = await startAgent({
      args: everywhere,
      config: `[http_api]
public_apis = ["/v1/global/*", "/v1/write/:category"]
public_ips = ["${outside ?? "192.0.2.1"}/32"]
allowed_hosts = ["Agent.lan", "pinned.lan:81", "${outside ?? "192.0.2.1"}"]
allowed_cors_origins = ["https://ok.example"]
`,
    });
  });
  afterAll(() => agent.stop());
  const ask = (method: string, path: string, headers: Headers, url = localUrl(agent)) =>
    agent.send(path, { method, headers }, url);

  it.each<[path: string, why: string, headers: Headers]>([
    ["/metrics", "", { host: "agent.lan" }],
    ["/metrics", "", { host: "AGENT.lan:9529" }],
    ["/metrics", "", { host: "pinned.lan:81" }],
    ["/metrics", 'for host "pinned.lan:82"', { host: "pinned.lan:82" }],
    ["/metrics", "", { host: "agent.lan", origin: "http://agent.lan" }],
    ["/metrics", 'for origin "http://agent.lan:1"', { host: "agent.lan", origin: "http://agent.lan:1" }],
    ["/metrics", "", { origin: "https://ok.example" }],
    ["/metrics", 'for host "other.lan"', { host: "other.lan", origin: "https://ok.example" }],
    ["/metrics", 'for origin "https://ok.example:1"', { origin: "https://ok.example:1" }],
    ["/metrics", 'for origin "https://OK.example"', { origin: "https://OK.example" }],
    ["/metrics", external, { origin: "https://ok.example", "x-forwarded-for": "127.0.0.1" }],
    ["/v1/global/host/tags", "", { host: "any.lan", "x-forwarded-for": "8.8.8.8" }],
    ["/v1/global", external, { "x-forwarded-for": "8.8.8.8" }],
  ])("GET %s has the refusal reason [%s], empty if allowed, with the headers %j", async (path, why, headers) => {
    const answer = await ask("GET", path, headers);
    if (why === "") expect(answer.status).toBe(200);
    else expect(shown(answer)).toEqual(refusal(path, why));
  });

  it("writes are allowed for everybody when their path is listed", async () => {
    const body = "m v=1i 1";
    const headers = { "x-forwarded-for": "8.8.8.8" };
    expect((await agent.send("/v1/write/metric", { body, headers }, localUrl(agent))).status).toBe(200);
    expect((await agent.send("/v1/write/logstreaming", { body, headers }, localUrl(agent))).status).toBe(403);
  });

  it("pages of a listed origin may read answers, and other pages may not, even of public interfaces", async () => {
    const allowed = async (method: string, path: string, origin: string) => {
      const { status, headers } = await ask(method, path, { origin });
      return [status, headers["access-control-allow-origin"]];
    };
    for (const path of ["/metrics", "/v1/ping", "/v1/global/host/tags"]) {
      expect(await allowed("GET", path, "https://ok.example")).toEqual([200, "https://ok.example"]);
      expect(await allowed("OPTIONS", path, "https://ok.example")).toEqual([204, "https://ok.example"]);
      expect(await allowed("OPTIONS", path, "https://evil.example")).toEqual([204, undefined]);
    }
    expect(await allowed("GET", "/v1/ping", "https://evil.example")).toEqual([200, undefined]);
  });

  it.skipIf(outside === undefined)(
    "clients of listed networks are local, unless a forwarding header names them",
    async () => {
      const url = outsideUrl(agent);
      expect((await ask("GET", "/metrics", {}, url)).status).toBe(200);
      const forwarded = await ask("GET", "/metrics", { "x-forwarded-for": `${outside}` }, url);
      expect(shown(forwarded)).toEqual(refusal("/metrics", external));
      const page = await ask("GET", "/metrics", { origin: "https://evil.example" }, url);
      expect(shown(page)).toEqual(refusal("/metrics", 'for origin "https://evil.example"'));
    },
  );
});
