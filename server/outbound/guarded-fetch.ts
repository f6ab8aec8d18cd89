// A `fetch` function for the HTTP requests of scripts (docs/reference/functions.md#http_request). It checks the
// destination of each request. A host name is resolved once, all its addresses are checked, and the connection
// uses only these addresses. So an attacker cannot reach a forbidden address by changing the addresses of a host
// name after the check. The destination of every redirect is checked in the same way.

import { lookup as resolveName } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import ipaddr from "ipaddr.js";
import type { Fetch } from "../../lib/pipeline/index.ts";
import { isInNetworks, type Network, parseNetworks } from "../config/networks.ts";

export interface OutboundRules {
  /** Host names to which scripts may always send requests. */
  readonly allowHosts: readonly string[];
  /**
   * Networks to which scripts may send requests. A request to a host is allowed if all addresses of the host are
   * in these networks.
   */
  readonly allowNetworks: readonly string[];
  /** Host names and networks to which scripts may never send requests. */
  readonly denyHosts: readonly string[];
  readonly denyNetworks: readonly string[];
  /**
   * Whether requests to private, loopback, link-local and other special addresses are refused. This matters only
   * when no allowed host names or networks are configured: if they are, all requests to other hosts are refused
   * anyway.
   */
  readonly refuseInternal: boolean;
}

export interface Resolved {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Resolves a host name to all its IP addresses. */
export type Resolve = (host: string) => Promise<readonly Resolved[]>;

/** Thrown when a request is not allowed because of its host or the address of its host. */
export class OutboundRefused extends Error {}

const mostRedirects = 10;
const redirects = [301, 302, 303, 307, 308];
/** HTTP statuses whose answers have no body. */
const bodiless = [204, 205, 304];

type Init = Parameters<Fetch>[1];

const resolveAll: Resolve = async (host) => {
  const found = await resolveName(host, { all: true, verbatim: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/** Largest number of hosts for which a refused request is logged. */
const mostLogged = 100;

/**
 * Creates the `fetch` function. The promise of this function rejects for every failure; the error is
 * OutboundRefused if the rules do not allow the request. The first time a request to a host is refused, `log` is
 * called.
 */
export function createOutbound(
  rules: OutboundRules,
  resolve: Resolve = resolveAll,
  log: (message: string) => void = () => {},
): Fetch {
  const logged = new Set<string>();
  const guard = createCheck(rules, resolve);
  const check = async (url: URL) => {
    try {
      return await guard(url);
    } catch (error) {
      if (error instanceof OutboundRefused && !logged.has(url.host) && logged.size < mostLogged) {
        logged.add(url.host);
        log(
          `http_request is refused: ${error.message.slice(0, 300)}; the settings pipeline.http_request_* decide that`,
        );
      }
      throw error;
    }
  };
  const agents = {
    "http:": new http.Agent({ keepAlive: true, timeout: 30_000 }),
    "https:": new https.Agent({ keepAlive: true, timeout: 30_000 }),
  };

  return async (address, init) => {
    let url = new URL(address);
    let request = init;
    for (let redirect = 0; redirect <= mostRedirects; redirect++) {
      const answer = await send(url, request, await check(url), agents);
      const location = answer.headers.location;
      if (!redirects.includes(answer.statusCode!) || location === undefined) return response(answer);
      answer.destroy();
      const next = new URL(location, url);
      request = redirected(request, answer.statusCode!, next.origin === url.origin);
      url = next;
    }
    throw new OutboundRefused(`more than ${mostRedirects} redirects`);
  };
}

/**
 * Returns a function that resolves the host name of a URL and returns its addresses. The function throws
 * OutboundRefused when requests to one of the addresses are not allowed.
 */
function createCheck(rules: OutboundRules, resolve: Resolve): (url: URL) => Promise<readonly Resolved[]> {
  const allowHosts = new Set(rules.allowHosts.map((host) => host.toLowerCase()));
  const denyHosts = new Set(rules.denyHosts.map((host) => host.toLowerCase()));
  const allowNetworks = parseNetworks(rules.allowNetworks);
  const denyNetworks = parseNetworks(rules.denyNetworks);
  const hasAllowed = allowHosts.size > 0 || allowNetworks.length > 0;
  const isIn = (networks: readonly Network[], { address }: Resolved) => isInNetworks(address, networks);

  return async (url) => {
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new OutboundRefused(`scheme ${url.protocol}`);
    const host = url.hostname
      .replace(/^\[|\]$/g, "")
      .replace(/\.$/, "")
      .toLowerCase();
    if (denyHosts.has(host)) throw new OutboundRefused(`host ${host} is on the deny list`);
    const family = isIP(host);
    const addresses = family === 0 ? await resolve(host) : [{ address: host, family: family === 6 ? 6 : 4 } as const];
    if (addresses.length === 0) throw new OutboundRefused(`host ${host} has no address`);
    if (addresses.some((each) => isIn(denyNetworks, each)))
      throw new OutboundRefused(`host ${host} lies in a network on the deny list`);
    if (allowHosts.has(host)) return addresses;
    if (hasAllowed) {
      if (allowNetworks.length > 0 && addresses.every((each) => isIn(allowNetworks, each))) return addresses;
      throw new OutboundRefused(`host ${host} is on no allow list`);
    }
    const internal = rules.refuseInternal ? addresses.find(({ address }) => !isPublic(address)) : undefined;
    if (internal !== undefined) throw new OutboundRefused(`host ${host} has the internal address ${internal.address}`);
    return addresses;
  };
}

/** Returns whether an IP address is public unicast: neither private, loopback, link-local nor otherwise special. */
export function isPublic(address: string): boolean {
  // The function `process` of the package ipaddr.js converts an IPv4-mapped IPv6 address to its IPv4 address.
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return false;
  if (parsed.kind() === "ipv4") return true;
  // The package ipaddr.js has no range for the deprecated IPv4-compatible addresses (::/96), so this code recognizes
  // them.
  return (parsed as ipaddr.IPv6).parts.slice(0, 6).some((part) => part !== 0);
}

function send(
  url: URL,
  init: Init,
  addresses: readonly Resolved[],
  agents: { "http:": http.Agent; "https:": https.Agent },
): Promise<http.IncomingMessage> {
  const lookup: LookupFunction = (_host, options, answer) => {
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, addresses[0].address, addresses[0].family);
  };
  const isSecure = url.protocol === "https:";
  return new Promise((resolve, reject) => {
    const sent = (isSecure ? https : http).request(
      url,
      {
        method: init.method,
        headers: { "accept-encoding": "gzip, deflate, br", ...init.headers, ...lengthOf(init) },
        signal: init.signal,
        agent: agents[isSecure ? "https:" : "http:"],
        lookup,
      },
      resolve,
    );
    sent.on("error", reject);
    sent.end(init.body);
  });
}

function lengthOf({ body }: Init): Record<string, string> {
  return body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
}

/**
 * Returns the request to send after a redirect. As in browsers, the new request is a GET if the status is 303,
 * or if it is 301 or 302 and the old request was a POST. Credentials for one origin are not sent to another
 * origin.
 */
function redirected(init: Init, status: number, sameOrigin: boolean): Init {
  const becomesGet = status === 303 ? init.method !== "HEAD" : status < 303 && init.method === "POST";
  const left = Object.entries(init.headers).filter(([name]) => {
    if (!sameOrigin && (name === "authorization" || name === "cookie")) return false;
    return !(becomesGet && name.startsWith("content-"));
  });
  const headers = Object.fromEntries(left);
  if (!becomesGet) return { ...init, headers };
  return { method: "GET", headers, signal: init.signal };
}

function response(answer: http.IncomingMessage): Response {
  const status = answer.statusCode!;
  if (bodiless.includes(status)) {
    answer.resume();
    return new Response(null, { status });
  }
  const body = decompressed(answer);
  return new Response(Readable.toWeb(body) as unknown as ReadableStream, { status });
}

function decompressed(answer: http.IncomingMessage): Readable {
  const unpack = { gzip: createGunzip, "x-gzip": createGunzip, deflate: createInflate, br: createBrotliDecompress }[
    (answer.headers["content-encoding"] ?? "").trim().toLowerCase()
  ];
  if (unpack === undefined) return answer;
  const unpacked = unpack();
  answer.on("error", (error) => unpacked.destroy(error));
  unpacked.on("close", () => answer.destroy());
  return answer.pipe(unpacked);
}
