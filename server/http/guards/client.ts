// Identifies the client of a request: whether the client is local, and the address under which limits count its
// requests (docs/access.md).

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { isInNetworks, parseNetworks } from "../../config/networks.ts";

/** The parts of a request that identify its client. Requests of HTTP/1 and of HTTP/2 both have these parts. */
export type ClientRequest = Pick<IncomingMessage, "headers" | "socket">;

/**
 * Returns the value of a request header. `name`: the header's name in lower case. When a request has several
 * headers with this name, their values are joined by commas.
 */
export function headerOf(request: Pick<IncomingMessage, "headers">, name: string): string {
  const value = request.headers[name];
  return value === undefined ? "" : Array.isArray(value) ? value.join(", ") : value;
}

const unixClients = new WeakSet<Socket>();

/** Marks a socket as the connection of a client that uses a Unix socket. */
export function expectUnixClient(socket: Socket): void {
  unixClients.add(socket);
}

/** The entry in the setting `trusted_proxies` that stands for every proxy that connects through a Unix socket. */
export const unixProxy = "unix";

export interface ClientRules {
  /**
   * Networks of proxies whose forwarding headers (such as X-Forwarded-For) are trusted; `unix` stands for proxies on a
   * Unix socket.
   */
  readonly trustedProxies: readonly string[];
  /** Networks whose clients count as local. Clients on loopback addresses and Unix sockets always count as local. */
  readonly localNetworks?: readonly string[];
}

export interface Clients {
  /**
   * Returns the key under which limits count the requests of the client: its address, or for IPv6 its /64 network.
   * Returns an empty string for a client on a Unix socket.
   */
  keyOf(request: ClientRequest): string;
  /**
   * Returns whether the client is on this machine or in a local network. If the request has a forwarding header
   * (such as X-Forwarded-For), the client is local only if a trusted proxy sent the request and every address in
   * the header is local. A loopback address in the header is local only if the proxy itself is on this machine.
   */
  isLocal(request: IncomingMessage): boolean;
  /** Returns whether the request has forwarding headers and comes from this machine, but not from a trusted proxy. */
  isFromUntrustedProxy(request: IncomingMessage): boolean;
}

export function createClients({ trustedProxies, localNetworks = [] }: ClientRules): Clients {
  const trustsUnix = trustedProxies.includes(unixProxy);
  const trusted = parseNetworks(trustedProxies.filter((each) => each !== unixProxy));
  const trustsNobody = trustedProxies.length === 0;
  const local = parseNetworks(localNetworks);
  const isTrusted = (request: ClientRequest): boolean => {
    const { remoteAddress } = request.socket;
    if (remoteAddress === undefined) return trustsUnix && unixClients.has(request.socket);
    return trusted.length > 0 && isInNetworks(remoteAddress, trusted);
  };
  const isHere = ({ socket }: ClientRequest): boolean =>
    // A Unix socket has no remote address. A TCP socket has none either after its client has disconnected. So only a
    // socket that was marked by `expectUnixClient` counts as a Unix socket.
    socket.remoteAddress === undefined ? unixClients.has(socket) : isLoopback(socket.remoteAddress);
  return {
    keyOf: (request) => {
      if (trustsNobody) return limitKey(request.socket.remoteAddress ?? "");
      const forwarded = isTrusted(request) ? forwardedAddresses(request) : [];
      // Each proxy adds an address at the end of the forwarding header. So the client's address is the last address
      // that does not belong to a trusted proxy.
      const named = forwarded.findLast((each) => !isInNetworks(each, trusted)) ?? forwarded[0];
      return limitKey(named ?? request.socket.remoteAddress ?? "");
    },
    isLocal: (request) => {
      if (!isForwarded(request)) return isHere(request) || isInNetworks(request.socket.remoteAddress ?? "", local);
      if (!isTrusted(request)) return false;
      const isProxyHere = isHere(request);
      return forwardingHeaders
        .flatMap((name) => addressesIn(request, name))
        .every((each) => isInNetworks(each, local) || (isProxyHere && isLoopback(each)));
    },
    isFromUntrustedProxy: (request) => isForwarded(request) && isHere(request) && !isTrusted(request),
  };
}

/** Headers in which a proxy names the client. The first header of this list that a request has is used. */
const forwardingHeaders = ["x-forwarded-for", "x-real-ip", "forwarded"] as const;

/**
 * Returns whether the request has a forwarding header. This function runs for every request. Its code contains
 * the header names as constants, because Node finds a header by a constant name several times as fast as by a
 * variable.
 */
export function isForwarded({ headers }: ClientRequest): boolean {
  return Boolean(headers["x-forwarded-for"] || headers["x-real-ip"] || headers.forwarded);
}

function forwardedAddresses(request: ClientRequest): readonly string[] {
  const name = forwardingHeaders.find((each) => headerOf(request, each) !== "");
  return name === undefined ? [] : addressesIn(request, name);
}

/** Returns the addresses in a forwarding header. An entry that is no address is returned unchanged. */
function addressesIn(request: ClientRequest, name: (typeof forwardingHeaders)[number]): readonly string[] {
  const text = headerOf(request, name);
  if (text === "") return [];
  const entries = text.split(",");
  if (name !== "forwarded") return entries.map((each) => withoutPort(each.trim()));
  return entries.map((each) => withoutPort(/(?:^|;)\s*for\s*=\s*"?([^";]*)"?/i.exec(each)?.[1]?.trim() ?? ""));
}

/**
 * Returns the address without its port and brackets: `10.0.0.1` for `10.0.0.1:80`; `::1` for `[::1]:80` and for
 * `[::1]`.
 */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}

// The address of the previous client, and its key for limits (the address itself, or the /64 network of an IPv6
// address). They are remembered because successive requests mostly come from the same address, and parsing an IPv6
// address takes several microseconds.
let lastAddress = "";
let lastKey = "";

function limitKey(address: string): string {
  if (address !== lastAddress) {
    lastKey = readKey(address);
    lastAddress = address;
  }
  return lastKey;
}

function readKey(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  if (address.kind() === "ipv4") return address.toString();
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

/** Returns the remote address of the request's connection. Returns an IPv4-mapped IPv6 address as IPv4. */
export function peerAddress(request: IncomingMessage): string {
  return (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
}

export function peerOf(request: IncomingMessage): string {
  const { remoteAddress = "", remotePort = 0 } = request.socket;
  return remoteAddress === ""
    ? ""
    : remoteAddress.includes(":")
      ? `[${remoteAddress}]:${remotePort}`
      : `${remoteAddress}:${remotePort}`;
}
