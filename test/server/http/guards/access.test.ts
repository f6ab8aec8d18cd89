import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { type AccessOptions, createAccess } from "../../../../server/http/guards/access.ts";
import { createClients } from "../../../../server/http/guards/client.ts";
import { corsHeaders } from "../../../../server/http/guards/cors.ts";

const open: Omit<AccessOptions, "clients"> = {
  publicApis: [],
  allowedOrigins: [],
  allowedHosts: [],
  listenHost: "127.0.0.1",
};

function request(peer: string, headers: Record<string, string> = {}, method = "GET"): IncomingMessage {
  return {
    method,
    headers: { host: "localhost:9529", ...headers },
    socket: { remoteAddress: peer },
  } as unknown as IncomingMessage;
}

interface Options extends Partial<Omit<AccessOptions, "clients">> {
  readonly publicIps?: readonly string[];
  readonly trustedProxies?: readonly string[];
}

function accessOf({ publicIps = [], trustedProxies = [], ...options }: Options) {
  return createAccess({ ...open, ...options, clients: createClients({ trustedProxies, localNetworks: publicIps }) });
}

function refusal(options: Options, path: string, from: IncomingMessage): string {
  try {
    accessOf(options).check(from, path);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const external = "api /metrics disabled from external IP, only loopback(localhost) allowed";

describe("access", () => {
  it("opens ping, ntp and writes to everybody", () => {
    for (const path of ["/v1/ping", "/v1/ntp", "/v1/write/logging"])
      expect(refusal({}, path, request("8.8.8.8"))).toBe("");
  });

  it("refuses all other paths to clients from other machines", () => {
    expect(refusal({}, "/metrics", request("8.8.8.8"))).toBe(external);
    expect(refusal({}, "/metrics", request("127.0.0.1"))).toBe("");
    expect(refusal({}, "/metrics", request("::ffff:127.0.0.1"))).toBe("");
  });

  it("does not treat a forwarded request as local", () => {
    expect(refusal({}, "/metrics", request("127.0.0.1", { "x-forwarded-for": "127.0.0.1" }))).toBe(external);
    expect(refusal({}, "/metrics", request("127.0.0.1", { "x-real-ip": "127.0.0.1" }))).toBe(external);
  });

  it.each([
    ["a local client of a proxy on this machine", ["127.0.0.1"], "127.0.0.1", { "x-forwarded-for": "127.0.0.1" }, true],
    ["a client of a listed network", ["127.0.0.1"], "127.0.0.1", { "x-forwarded-for": "10.1.2.3" }, true],
    ["a client from elsewhere", ["127.0.0.1"], "127.0.0.1", { "x-forwarded-for": "8.8.8.8" }, false],
    ["loopback behind a proxy elsewhere", ["10.0.0.9"], "10.0.0.9", { "x-forwarded-for": "127.0.0.1" }, false],
    [
      "two headers that differ",
      ["127.0.0.1"],
      "127.0.0.1",
      { "x-forwarded-for": "10.1.2.3", "x-real-ip": "8.8.8.8" },
      false,
    ],
    ["Forwarded of an unknown client", ["127.0.0.1"], "127.0.0.1", { forwarded: "for=unknown" }, false],
    ["Forwarded of a local client", ["127.0.0.1"], "127.0.0.1", { forwarded: "proto=http;for=127.0.0.1" }, true],
    ["Forwarded without a trusted proxy", [], "127.0.0.1", { forwarded: "for=127.0.0.1" }, false],
  ])(
    "decides by the client address that a trusted proxy reports: %s",
    (_name, trustedProxies, peer, headers, isTaken) => {
      const from = request(peer, headers as Record<string, string>);
      expect(refusal({ trustedProxies, publicIps: ["10.0.0.0/8"] }, "/metrics", from)).toBe(isTaken ? "" : external);
    },
  );

  it.each([
    ["0.0.0.0", "0.0.0.0"],
    ["0.0.0.0", "0.0.0.0:9529"],
    ["[::]", "[::]:9529"],
  ])(
    "takes no address of all addresses for a name of this machine: listening on %s, asked as %s",
    (listenHost, host) => {
      const from = request("127.0.0.1", { host });
      expect(refusal({ listenHost }, "/metrics", from)).toBe(`api /metrics disabled for host ${JSON.stringify(host)}`);
      const origin = request("127.0.0.1", { host, origin: `http://${host}` });
      expect(accessOf({ listenHost }).isFriendlyOrigin(origin)).toBe(false);
    },
  );

  it("treats a public path with a trailing slash like the path without it", () => {
    for (const path of ["/v1/ping/", "/v1/write/metric/"]) expect(refusal({}, path, request("8.8.8.8"))).toBe("");
    for (const path of ["/metrics/", "/nope/", "/v1/ping//", "/"]) {
      expect(refusal({}, path, request("8.8.8.8"))).toBe(external.replace("/metrics", path));
    }
  });

  it("does not allow writes when public_apis is set without them", () => {
    const options = { publicApis: [" metrics "] };
    expect(refusal(options, "/metrics", request("8.8.8.8"))).toBe("");
    expect(refusal(options, "/v1/write/logging", request("8.8.8.8"))).toContain("disabled");
    expect(refusal(options, "/v1/ping", request("8.8.8.8"))).toBe("");
  });

  it("accepts the write pattern and a trailing star in public_apis", () => {
    expect(refusal({ publicApis: ["/v1/write/:category"] }, "/v1/write/rum", request("8.8.8.8"))).toBe("");
    expect(refusal({ publicApis: ["/v1/global/*"] }, "/v1/global/host/tags", request("8.8.8.8"))).toBe("");
  });

  it("counts configured networks as local", () => {
    expect(refusal({ publicIps: ["10.0.0.0/8"] }, "/metrics", request("10.1.2.3"))).toBe("");
    expect(refusal({ publicIps: ["10.0.0.0/8"] }, "/metrics", request("11.1.2.3"))).toBe(external);
  });

  it("allows clients of configured networks only under a configured host name", () => {
    const caller = request("10.1.2.3", { host: "10.0.0.5:9529" });
    const publicIps = ["10.0.0.0/8"];
    expect(refusal({ publicIps }, "/metrics", caller)).toBe('api /metrics disabled for host "10.0.0.5:9529"');
    expect(refusal({ publicIps, listenHost: "10.0.0.5" }, "/metrics", caller)).toBe("");
    for (const host of ["10.0.0.5", "10.0.0.5:9529"]) {
      expect(refusal({ publicIps, allowedHosts: [host] }, "/metrics", caller)).toBe("");
    }
    expect(refusal({ publicIps, allowedHosts: ["10.0.0.5:80"] }, "/metrics", caller)).toContain("for host");
  });

  it("refuses other web pages and unknown host names on paths that are not public", () => {
    const local = (headers: Record<string, string>) => request("127.0.0.1", headers);
    expect(refusal({}, "/metrics", local({ origin: "https://evil.example" }))).toContain("origin");
    expect(refusal({}, "/metrics", local({ origin: "null" }))).toContain("origin");
    expect(refusal({}, "/metrics", local({ origin: "http://localhost:9529" }))).toBe("");
    expect(
      refusal({ allowedOrigins: ["https://ok.example"] }, "/metrics", local({ origin: "https://ok.example" })),
    ).toBe("");
    expect(refusal({}, "/metrics", local({ host: "evil.example:9529" }))).toContain("host");
    expect(refusal({}, "/metrics", local({ host: "evil.example", origin: "http://evil.example" }))).toContain("host");
    expect(refusal({ allowedHosts: ["agent.lan"] }, "/metrics", local({ host: "agent.lan:9529" }))).toBe("");
    expect(refusal({}, "/v1/write/metric", local({ host: "x", origin: "https://evil.example" }))).toBe("");
  });
});

describe("CORS headers", () => {
  const headers = (path: string, from: IncomingMessage, allowedOrigins: string[] = []): Record<string, string> => {
    const list = corsHeaders(from, path, accessOf({ allowedOrigins }), allowedOrigins);
    return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]!]] : [])));
  };

  it("allow the origin of the request on public paths", () => {
    const given = headers("/v1/write/rum", request("8.8.8.8", { origin: "https://a.example" }));
    expect(given).toMatchObject({
      "access-control-allow-origin": "https://a.example",
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "POST, OPTIONS, GET, PUT, DELETE",
      "access-control-max-age": "7200",
    });
    expect(headers("/v1/ping", request("8.8.8.8"))["access-control-allow-origin"]).toBe("*");
  });

  it("list the requested headers before the fixed list", () => {
    const asked = { "access-control-request-headers": "x-foo, content-type,x-Bar-baz" };
    const given = headers("/v1/ping", request("8.8.8.8", asked))["access-control-allow-headers"];
    expect(given).toBe(
      "X-Foo, X-Bar-Baz, Accept, Accept-Encoding, Accept-Language, Authorization, Cache-Control, Content-Language, " +
        "Content-Length, Content-Type, Origin, X-Csrf-Token, X-Lua, X-Precision, X-Requested-With, X-Rp, X-Token, *",
    );
  });

  it("are absent for an origin outside the list, and for other origins on private paths", () => {
    const page = request("127.0.0.1", { origin: "https://evil.example" });
    expect(headers("/v1/ping", page, ["https://ok.example"])).toEqual({});
    expect(headers("/metrics", page)).toEqual({});
    expect(headers("/metrics", request("127.0.0.1"))).toEqual({});
  });
});
