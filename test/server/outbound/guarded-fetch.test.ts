// The HTTP client of scripts: it refuses certain addresses, before it connects and at every redirect. The tests also
// check the answers that it returns.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOutbound, isPublic, type OutboundRules, type Resolve } from "../../../server/outbound/guarded-fetch.ts";

const closed: OutboundRules = {
  allowHosts: [],
  allowNetworks: [],
  denyHosts: [],
  denyNetworks: [],
  refuseInternal: true,
};
const init = { method: "GET", headers: {}, signal: new AbortController().signal };

let server: Server;
let port: number;
let seen: {
  readonly url: string;
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  body: string;
}[] = [];

function answer(request: IncomingMessage, response: ServerResponse): void {
  const entry = { url: request.url!, method: request.method!, headers: request.headers, body: "" };
  seen.push(entry);
  request.on("data", (piece) => {
    entry.body += String(piece);
  });
  request.on("end", () => {
    const to = /^\/to\/(\d+)\/(.*)$/.exec(request.url!);
    if (to !== null) response.writeHead(Number(to[1]), { location: decodeURIComponent(to[2]) }).end();
    else if (request.url === "/gzip") response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("packed"));
    else if (request.url === "/loop") response.writeHead(302, { location: "/loop" }).end();
    else if (request.url === "/none") response.writeHead(204).end();
    else response.writeHead(request.url === "/404" ? 404 : 200).end("plain");
  });
}

beforeAll(async () => {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

/**
 * Makes a resolver for invented host names. A name has one list of addresses for all lookups, or a list of such lists,
 * one for each lookup.
 */
function names(table: Record<string, string[] | string[][]>): Resolve & { readonly asked: string[] } {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    const entry = table[host] ?? [];
    const addresses = Array.isArray(entry[0])
      ? (entry[Math.min(asked.filter((each) => each === host).length, entry.length) - 1] as string[])
      : (entry as string[]);
    return addresses.map((address) => ({ address, family: address.includes(":") ? (6 as const) : (4 as const) }));
  };
  return Object.assign(resolve, { asked });
}

async function outcome(rules: Partial<OutboundRules>, url: string, resolve: Resolve = names({})): Promise<string> {
  seen = [];
  try {
    const answered = await createOutbound({ ...closed, ...rules }, resolve)(url, init);
    return `${answered.status} ${await answered.text()}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const local = { allowNetworks: ["127.0.0.0/8"] };

describe("addresses", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fc00::1",
    "fe80::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
  ])("%s is internal", (address) => {
    expect(isPublic(address)).toBe(false);
  });

  it.each(["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8"])("%s is public", (address) => {
    expect(isPublic(address)).toBe(true);
  });
});

describe("without lists", () => {
  it.each([
    "http://127.0.0.1/",
    "http://localhost/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://169.254.169.254/latest",
  ])("%s is refused", async (url) => {
    const resolve = names({ localhost: ["127.0.0.1", "::1"] });
    expect(await outcome({}, url, resolve)).toMatch(/has the internal address/);
  });

  it("a name is refused when one of its addresses is internal", async () => {
    const resolve = names({ "mixed.test": ["8.8.8.8", "10.0.0.1"] });
    expect(await outcome({}, "http://mixed.test/", resolve)).toBe("host mixed.test has the internal address 10.0.0.1");
  });

  it("internal addresses are allowed with refuseInternal false", async () => {
    expect(await outcome({ refuseInternal: false }, `http://127.0.0.1:${port}/`)).toBe("200 plain");
  });
});

describe("with lists", () => {
  const resolve = names({ "mill.test": ["127.0.0.1"], "far.test": ["8.8.8.8"], "both.test": ["127.0.0.1", "8.8.8.8"] });

  it("an allowed host is reached at any address", async () => {
    expect(await outcome({ allowHosts: ["Mill.test"] }, `http://mill.test:${port}/404`, resolve)).toBe("404 plain");
  });

  it("a host that is on no list is refused", async () => {
    expect(await outcome({ allowHosts: ["mill.test"] }, "http://far.test/", resolve)).toMatch(/on no allow list/);
    expect(await outcome(local, "http://far.test/", resolve)).toMatch(/on no allow list/);
  });

  it("a host is reached only when all its addresses are in the allowed networks", async () => {
    expect(await outcome(local, `http://mill.test:${port}/`, resolve)).toBe("200 plain");
    expect(await outcome(local, `http://both.test:${port}/`, resolve)).toMatch(/on no allow list/);
  });

  it("the deny lists override the allow lists", async () => {
    const rules = { allowHosts: ["mill.test"] };
    expect(await outcome({ ...rules, denyHosts: ["mill.test"] }, `http://mill.test:${port}/`, resolve)).toMatch(
      /deny list/,
    );
    expect(await outcome({ ...rules, denyHosts: ["mill.test"] }, `http://mill.test.:${port}/`, resolve)).toMatch(
      /deny list/,
    );
    expect(await outcome({ ...rules, denyNetworks: ["127.0.0.1/32"] }, `http://mill.test:${port}/`, resolve)).toMatch(
      /deny list/,
    );
    expect(seen).toEqual([]);
  });
});

describe("a connection", () => {
  it("goes to the address that was checked, although the name has another one by now", async () => {
    const rebinding = names({ "turn.test": [["127.0.0.1"], ["10.0.0.1"]] });
    expect(await outcome(local, `http://turn.test:${port}/`, rebinding)).toBe("200 plain");
    expect(rebinding.asked).toEqual(["turn.test"]);
    expect(seen.map(({ headers }) => headers.host)).toEqual([`turn.test:${port}`]);
  });

  it("is refused when a redirect leads to a forbidden address", async () => {
    const resolve = names({ "mill.test": ["127.0.0.1"] });
    const to = (url: string) => `http://mill.test:${port}/to/302/${encodeURIComponent(url)}`;
    const rules = { allowHosts: ["mill.test"] };
    expect(await outcome(rules, to(`http://127.0.0.1:${port}/secret`), resolve)).toMatch(/on no allow list/);
    expect(await outcome(rules, to("file:///etc/passwd"), resolve)).toMatch(/scheme file:/);
    expect(seen.map(({ url }) => url).filter((url) => !url.startsWith("/to/"))).toEqual([]);
  });

  it("resolves the name of each redirect anew", async () => {
    const turning = names({ "turn.test": [["127.0.0.1"], ["10.0.0.1"]] });
    const url = `http://turn.test:${port}/to/302/${encodeURIComponent(`http://turn.test:${port}/inside`)}`;
    expect(await outcome(local, url, turning)).toMatch(/on no allow list/);
  });

  it("follows ten redirects and no more", async () => {
    expect(await outcome(local, `http://127.0.0.1:${port}/loop`)).toBe("more than 10 redirects");
    expect(seen).toHaveLength(11);
  });
});

it("reports each refused host once", async () => {
  const told: string[] = [];
  const send = createOutbound(closed, names({ "a.test": ["10.0.0.1"] }), (message) => told.push(message));
  for (const url of ["http://127.0.0.1/x", "http://127.0.0.1/y", "http://a.test/", "http://127.0.0.1/z"])
    await expect(send(url, init)).rejects.toThrow();
  expect(told).toEqual([
    "http_request is refused: host 127.0.0.1 has the internal address 127.0.0.1; the settings pipeline.http_request_* decide that",
    "http_request is refused: host a.test has the internal address 10.0.0.1; the settings pipeline.http_request_* decide that",
  ]);
});

describe("a request", () => {
  const send = createOutbound({ ...closed, ...local }, names({ "mill.test": ["127.0.0.1"] }));
  const post = {
    ...init,
    method: "POST",
    body: "hello",
    headers: { "content-type": "text/x", authorization: "Basic x" },
  };

  it("arrives unchanged", async () => {
    seen = [];
    await (await send(`http://mill.test:${port}/p?q=1`, post)).text();
    expect(seen[0]).toMatchObject({
      url: "/p?q=1",
      method: "POST",
      body: "hello",
      headers: { "content-type": "text/x", "content-length": "5" },
    });
  });

  it("becomes a GET after redirects 301 and 303, and keeps its method after 307 and 308", async () => {
    for (const [status, method, body] of [
      [301, "GET", ""],
      [303, "GET", ""],
      [307, "POST", "hello"],
      [308, "POST", "hello"],
    ] as const) {
      seen = [];
      await (await send(`http://mill.test:${port}/to/${status}/${encodeURIComponent("/end")}`, post)).text();
      expect(seen[1]).toMatchObject({ url: "/end", method, body, headers: { authorization: "Basic x" } });
    }
  });

  it("does not send credentials to another host after a redirect", async () => {
    seen = [];
    const url = `http://mill.test:${port}/to/307/${encodeURIComponent(`http://127.0.0.1:${port}/other`)}`;
    await (await send(url, post)).text();
    expect(seen[1].url).toBe("/other");
    expect(seen[1].headers).not.toHaveProperty("authorization");
  });

  it("decompresses answers, and returns answers without a body", async () => {
    expect(await (await send(`http://127.0.0.1:${port}/gzip`, init)).text()).toBe("packed");
    const none = await send(`http://127.0.0.1:${port}/none`, init);
    expect([none.status, none.body]).toEqual([204, null]);
  });

  it("ends when its signal is aborted", async () => {
    const abort = new AbortController();
    abort.abort();
    await expect(send(`http://127.0.0.1:${port}/`, { ...init, signal: abort.signal })).rejects.toThrow();
  });
});
