// The agent forwards requests of its own page to the Open API of a platform (docs/access.md). Under `millrace
// start`, the agent uses an API key that exists only in memory. An agent that runs alone sends the requests to
// the platform that its configuration names. Hostile pages, clients and platforms must not be able to misuse
// this forwarding.

import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type AgentProcess, type Answer, type Sent, send, startAgent } from "../../support/running-agent.ts";
import { addressOf, launch, type Running, removeFolder, temporaryFolder } from "../../support/running-platform.ts";

/**
 * An IPv4 address of this machine other than loopback. The agent treats a client at this address like a client on
 * another machine. Undefined when this machine has no such address.
 */
const outside = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find((each) => !each.internal && each.family === "IPv4")?.address;

const parsed = ({ text }: Answer) => JSON.parse(text);
const errorOf = (answer: Answer) => {
  const { error_code, errorCode } = parsed(answer);
  return [answer.status, error_code ?? errorCode];
};
const json = (body: unknown, headers: Sent["headers"] = {}): Sent => ({
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", ...headers },
});
const refused = [403, "agent.publicAccessDisabled"];

/**
 * Sends a request as raw bytes, because an HTTP client would normalize the path. Returns the status line and the rest
 * of the answer.
 */
function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on("data", (chunk) => (text += chunk));
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

describe("under millrace start", () => {
  const dataDir = temporaryFolder();
  let running: Running;
  let platformUrl: string;
  beforeAll(async () => {
    running = await launch({
      command: "start",
      dataDir,
      args: ["--listen", "127.0.0.1:0", "--gateway-listen", "none", "--platform-listen", "127.0.0.1:0"],
      service: ["agent", "platform"],
      env: { ENV_LOG_LEVEL: "debug" },
    });
    platformUrl = addressOf("platform", running.out());
  });
  afterAll(async () => {
    await running.kill();
    removeFolder(dataDir);
  });
  const ask = (at: string, sent?: Sent) => send(`${running.url}/openapi${at}`, sent);

  it("a page of this machine needs no key", async () => {
    const state = await ask("/");
    expect(parsed(state)).toEqual({ available: true, needsKey: false });
    // A platform allows pages of any origin to read its answers. The agent must leave this permission out of the
    // answers that it passes on.
    expect((await ask("/v1/validate")).headers["access-control-allow-origin"]).toBeUndefined();
    expect(parsed(await ask("/v1/validate"))).toMatchObject({ success: true, content: true });
    const own = { origin: running.url, "sec-fetch-site": "same-origin" };
    const made = await ask("/v1/dashboard/create", json({ name: "from the page" }, own));
    expect(made.status).toBe(200);
    expect(made.headers["access-control-allow-origin"] ?? running.url).toBe(running.url);
    const { uuid } = parsed(made).content;
    const got = await ask(`/v1/dashboard/${uuid}/get?withCharts=true`);
    expect(parsed(got).content).toMatchObject({ name: "from the page", creatorInfo: { name: "this machine" } });
    expect(got.headers.etag).toMatch(/^"/);
    const list = parsed(await ask("/v1/dashboard/list?search=from%20the%20page&pageSize=10"));
    expect(list.pageInfo.totalCount).toBe(1);
    const late = await ask(`/v1/dashboard/${uuid}/modify`, json({ name: "x" }, { "if-match": '"nothing"' }));
    expect(late.status).toBe(412);
  });

  it("a query is answered from the points that this agent has written", async () => {
    expect((await send(`${running.url}/v1/write/logging?source=shop`, { body: 'shop message="hello"' })).status).toBe(
      200,
    );
    const question = { queries: [{ qtype: "dql", query: { q: "L::shop:(count(*))" } }] };
    await expect
      .poll(async () => parsed(await ask("/v1/df/query_data_v1", json(question))).content.data[0].series, {
        timeout: 20_000,
      })
      .toMatchObject([{ values: [[null, 1]] }]);
  });

  it("a client with a key of its own gets only what that key allows", async () => {
    const mine = await ask("/v1/workspace/get");
    expect(parsed(mine).content.name).toBe("local");
    expect(errorOf(await ask("/v1/workspace/get", { headers: { "df-api-key": "wrong" } }))).toEqual([
      403,
      "InvalidApiKey",
    ]);
  });

  it("the key of this machine cannot create keys or workspaces", async () => {
    expect(errorOf(await ask("/v1/workspace/accesskey/add", json({ name: "k", roleUUIDs: ["wsAdmin"] })))).toEqual([
      403,
      "NoPermission",
    ]);
    expect(errorOf(await ask("/v1/workspace/create", json({ name: "w" })))).toEqual([403, "NoPermission"]);
    expect(parsed(await ask("/v1/workspace/accesskey/list")).content).toEqual([]);
  });

  it("the platform itself still requires a key from everybody", async () => {
    expect(errorOf(await send(`${platformUrl}/api/v1/validate`))).toEqual([403, "InvalidApiKey"]);
    expect(errorOf(await send(`${platformUrl}/api/v1/validate`, { headers: { "df-api-key": running.token } }))).toEqual(
      [403, "InvalidApiKey"],
    );
  });

  it.each<[why: string, headers: Record<string, string>]>([
    ["a host name that was made to lead here", { host: "evil.example" }],
    ["a page of another origin", { origin: "https://evil.example" }],
    ["a sandboxed page", { origin: "null" }],
    ["a page of another port", { origin: "http://127.0.0.1:1" }],
    ["a proxy that is not trusted", { "x-forwarded-for": "127.0.0.1" }],
    ["a proxy that names another client", { forwarded: "for=8.8.8.8" }],
    ["a proxy with another header", { "x-real-ip": "8.8.8.8" }],
  ])("%s is refused without a request to the platform", async (_why, headers) => {
    for (const at of ["/", "/v1/validate", "/v1/dashboard/list", "/ready-dashboards", "/ready-dashboards/nginx"])
      expect(errorOf(await ask(at, { headers }))).toEqual(refused);
    expect(errorOf(await ask("/v1/dashboard/create", json({ name: "evil" }, headers)))).toEqual(refused);
    expect(errorOf(await ask("/v1/validate", { headers: { ...headers, "df-api-key": "x" } }))).toEqual(refused);
    expect(parsed(await ask("/v1/dashboard/list?search=evil")).content).toEqual([]);
  });

  it.each(["cross-site", "same-site"])("a request that a %s page makes without Origin gets no key", async (site) => {
    const headers = { "sec-fetch-site": site };
    expect(errorOf(await ask("/v1/validate", { headers }))).toEqual([403, "InvalidApiKey"]);
    expect(parsed(await ask("/", { headers }))).toEqual({ available: true, needsKey: true });
  });

  it.each([
    "/openapi/v1/",
    "/openapi/v1/nothing",
    "/openapi/v1/docs",
    "/openapi/v1/openapi.json",
    "/openapi/v1//validate",
    "/openapi//v1/validate",
    "//openapi/v1/validate",
    "/openapi/v1/./validate",
    "/openapi/v1/../v1/validate",
    "/openapi/v1/../../v1/ping",
    "/openapi/v1/%2e%2e/%2e%2e/v1/ping",
    "/openapi/v1/..%2f..%2fmetrics",
    "/openapi/v1/%76alidate",
    "/%6fpenapi/v1/validate",
    "/openapi/v1/validate/",
    "/openapi/v1/validate%00",
    "/openapi/v1/validate%0d%0ax:y",
    "/openapi/v1/dashboard/..%2f..%2fvalidate/get",
    "/openapi/v1/dashboard/a%2fb/get",
    "/openapi/v1/dashboard/dsbd_x;y/get",
    "/openapi/v1/dashboard//get",
    "/openapi/v1\\validate",
    "/openapi/v1/@127.0.0.1:1/validate",
    `/openapi/v1/dashboard/${"a".repeat(129)}/get`,
    "/openapi/v2/validate",
    "/OPENAPI/v1/validate",
  ])("%s is no path of the Open API", async (target) => {
    const request = `GET ${target} HTTP/1.1\r\nHost: ${new URL(running.url).host}\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(running.url, request)).split("\r\n")[0]).toMatch(/ (?:301|400|404) /);
  });

  it("a method that the path does not have is refused", async () => {
    for (const [method, at] of [
      ["POST", "/v1/validate"],
      ["GET", "/v1/dashboard/create"],
      ["DELETE", "/v1/validate"],
      ["PUT", "/v1/dashboard/create"],
    ])
      expect((await ask(at!, { method: method! })).status).toBe(404);
  });

  it("no file, log or answer contains the key", async () => {
    // Matches a text that looks like an API key: 32 letters and digits, with at least one upper-case letter, one
    // lower-case letter and one digit. Identifiers do not match, because they have a prefix with an underscore.
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    expect(files.length).toBeGreaterThan(0);
    const { content } = parsed(await ask("/v1/audit/list?pageSize=100"));
    expect(content.length).toBeGreaterThan(0);
    const secret =
      /(?<![A-Za-z0-9_-])(?=[A-Za-z0-9]{0,31}[A-Z])(?=[A-Za-z0-9]{0,31}[a-z])(?=[A-Za-z0-9]{0,31}\d)[A-Za-z0-9]{32}(?![A-Za-z0-9_-])/;
    expect(secret.test("x aD8eXq2mVb7LkT0wRz5HsYc1NgPu6JfE y")).toBe(true);
    expect(secret.test(JSON.stringify(content) + running.out() + running.log())).toBe(false);
    for (const each of files) {
      expect(secret.test(readFileSync(path.join(each.parentPath, each.name), "latin1")), each.name).toBe(false);
    }
  });
});

interface FakePlatform {
  readonly url: string;
  readonly seen: {
    readonly method: string;
    readonly url: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: string;
  }[];
  behave(how: (request: IncomingMessage, response: ServerResponse) => void): void;
  close(): void;
}

/**
 * Starts a server in place of a platform. The server records all requests and sends the answers that the test
 * chooses.
 */
async function fakePlatform(port = 0): Promise<FakePlatform> {
  const seen: FakePlatform["seen"] = [];
  let how: Parameters<FakePlatform["behave"]>[0] = (_request, response) => response.end("{}");
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    seen.push({
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString("latin1"),
    });
    how(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    behave: (next) => (how = next),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe("an agent with a configured platform", () => {
  let platform: FakePlatform;
  let agent: AgentProcess;
  const configured = () => `[http_api.open_api]
url = "${platform.url}/prefix/"
key = "key-of-the-agent"
timeout = "1s"
max_body_bytes = 1000
max_answer_bytes = 100000
`;
  beforeAll(async () => {
    platform = await fakePlatform();
    agent = await startAgent({
      args: ["--listen", "0.0.0.0:0"],
      config: `[http_api]
public_apis = ["/openapi/*"]
${configured()}`,
    });
  });
  afterAll(async () => {
    await agent.stop();
    platform.close();
  });
  const port = () => new URL(agent.url).port;
  const ask = (at: string, sent?: Sent, host = "127.0.0.1") => send(`http://${host}:${port()}/openapi${at}`, sent);
  const last = () => platform.seen[platform.seen.length - 1]!;

  it("forwards the query, the body and allowed headers of a request, with the agent's key", async () => {
    const body = '{"name": "ä\\u0000"}';
    await ask("/v1/dashboard/create?x=%2F..&y=a+b&z=%00", {
      body,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "idempotency-key": "once",
        "accept-language": "zh",
        "x-trace-id": "trace-of-the-page",
        authorization: "Basic c2VjcmV0",
        cookie: "session=secret",
        "x-token": "tkn",
        "x-other": "1",
      },
    });
    expect(last()).toMatchObject({
      method: "POST",
      url: "/prefix/api/v1/dashboard/create?x=%2F..&y=a+b&z=%00",
      body: Buffer.from(body).toString("latin1"),
    });
    const { headers } = last();
    expect(headers).toMatchObject({
      "df-api-key": "key-of-the-agent",
      "content-type": "application/json; charset=utf-8",
      "idempotency-key": "once",
      "accept-language": "zh",
      "x-trace-id": "trace-of-the-page",
    });
    expect(
      Object.keys(headers).filter((name) => /authorization|cookie|x-token|x-other|origin|forwarded/.test(name)),
    ).toEqual([]);
  });

  it("returns the answer unchanged, without headers that would open it to other pages", async () => {
    const bytes = Buffer.from('{"success":false,"n":9007199254740993,"t":"\u00e4\\u2028"}\n');
    platform.behave((_request, response) => {
      response.writeHead(429, {
        "content-type": "application/json; charset=utf-8",
        "retry-after": "7",
        etag: '"1-2"',
        "access-control-allow-origin": "*",
        "set-cookie": "a=b",
        location: "https://evil.example",
        "content-security-policy": "default-src *",
      });
      response.end(bytes);
    });
    const answer = await ask("/v1/validate");
    expect([answer.status, answer.body]).toEqual([429, bytes]);
    expect(answer.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "retry-after": "7",
      etag: '"1-2"',
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
    });
    for (const name of ["set-cookie", "location", "content-security-policy"])
      expect(answer.headers[name], name).toBeUndefined();
  });

  it("returns an answer that is not JSON as bytes that no browser displays", async () => {
    platform.behave((_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<script>alert(1)</script>"),
    );
    expect((await ask("/v1/validate")).headers["content-type"]).toBe("application/octet-stream");
  });

  it("uses a key of the client in place of its own", async () => {
    await ask("/v1/validate", { headers: { "df-api-key": "key-of-a-client" } });
    expect(last().headers["df-api-key"]).toBe("key-of-a-client");
  });

  it("requires a key from clients that are not local, even when the path is public", async () => {
    const cases: readonly (readonly [string, Record<string, string>])[] = [
      ["127.0.0.1", { "x-forwarded-for": "8.8.8.8" }],
      ["127.0.0.1", { "x-forwarded-for": "127.0.0.1" }],
      ["127.0.0.1", { host: "evil.example" }],
      ["127.0.0.1", { origin: "https://evil.example" }],
      ["127.0.0.1", { "sec-fetch-site": "cross-site" }],
      ...(outside === undefined ? [] : [[outside, {}] as const]),
    ];
    for (const [host, headers] of cases) {
      expect(parsed(await ask("/", { headers }, host)), JSON.stringify(headers)).toEqual({
        available: true,
        needsKey: true,
      });
      await ask("/v1/validate", { headers }, host);
      expect(last().headers["df-api-key"]).toBeUndefined();
      await ask("/v1/validate", { headers: { ...headers, "df-api-key": "theirs" } }, host);
      expect(last().headers["df-api-key"]).toBe("theirs");
    }
    expect(parsed(await ask("/"))).toEqual({ available: true, needsKey: false });
  });

  it("refuses a body that is too large without a request to the platform", async () => {
    const before = platform.seen.length;
    const answer = await ask("/v1/dashboard/create", json({ name: "x".repeat(1001) }));
    expect(errorOf(answer)).toEqual([413, "agent.bodyTooLarge"]);
    expect(platform.seen.length).toBe(before);
  });

  it("gives up a platform that is slow, or that answers without end or byte by byte", async () => {
    platform.behave(() => {});
    expect(errorOf(await ask("/v1/validate"))).toEqual([504, "agent.platformTimeout"]);
    platform.behave((_request, response) => response.end(Buffer.alloc(100_001, 0x20)));
    expect(errorOf(await ask("/v1/validate"))).toEqual([502, "agent.platformFailed"]);
    platform.behave((_request, response) => {
      const timer = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(timer));
    });
    expect(errorOf(await ask("/v1/validate"))).toEqual([504, "agent.platformTimeout"]);
    platform.behave((request) => request.socket.destroy());
    expect(errorOf(await ask("/v1/validate"))).toEqual([502, "agent.platformFailed"]);
  });

  it("aborts the request to the platform when the client disconnects", async () => {
    const gone = new Promise<void>((resolve) =>
      platform.behave((_request, response) => response.on("close", () => resolve())),
    );
    const socket = connect(Number(port()), "127.0.0.1");
    const before = platform.seen.length;
    socket.write(`GET /openapi/v1/validate HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\n\r\n`);
    await expect.poll(() => platform.seen.length).toBe(before + 1);
    const at = performance.now();
    socket.destroy();
    await gone;
    expect(performance.now() - at).toBeLessThan(900);
  });

  it("logs no key", async () => {
    await ask("/v1/validate", { headers: { "df-api-key": "key-of-a-client" } });
    expect(agent.log()).not.toMatch(/key-of-/);
  });
});

it("an agent without a platform reports that none is configured", async () => {
  const agent = await startAgent();
  onTestFinished(() => agent.stop());
  expect(parsed(await agent.send("/openapi/"))).toEqual({ available: false, needsKey: false });
  expect(errorOf(await agent.send("/openapi/v1/validate"))).toEqual([404, "agent.noPlatform"]);
  expect(errorOf(await agent.send("/openapi/v1/dashboard/create", { body: "{}" }))).toEqual([404, "agent.noPlatform"]);
  expect(parsed(await agent.send("/openapi/ready-dashboards")).content[0]).toHaveProperty("needs");
});

it("an agent reports an unreachable platform, and uses the platform when it is back", async () => {
  const platform = await fakePlatform();
  platform.close();
  const agent = await startAgent({ config: `[http_api.open_api]\nurl = "${platform.url}"\n` });
  onTestFinished(() => agent.stop());
  expect(parsed(await agent.send("/openapi/"))).toEqual({ available: true, needsKey: true });
  expect(errorOf(await agent.send("/openapi/v1/validate"))).toEqual([502, "agent.platformFailed"]);
  const again = await fakePlatform(Number(new URL(platform.url).port));
  onTestFinished(again.close);
  expect((await agent.send("/openapi/v1/validate")).text).toBe("{}");
});
