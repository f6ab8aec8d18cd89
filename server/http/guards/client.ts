// Identifies the client of a request: whether it is local, and the address to which limits apply (docs/access.md).

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { isInNetworks, parseNetworks } from "../../config/networks.ts";

/** Returns the value of a header; `name` is in lower case. Several headers of the same name are joined by commas. */
export function headerOf(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return value === undefined ? "" : Array.isArray(value) ? value.join(", ") : value;
}

const unixClients = new WeakSet<Socket>();

/** Marks a socket as one whose client connected over a Unix socket. */
export function expectUnixClient(socket: Socket): void {
  unixClients.add(socket);
}

/** Entry of `trusted_proxies` for every proxy that connects over a Unix socket. */
export const unixProxy = "unix";

export interface ClientRules {
  /** Networks of proxies whose forwarding headers are trusted; `unix` stands for proxies on a Unix socket. */
  readonly trustedProxies: readonly string[];
  /** Networks whose clients count as local besides loopback and Unix sockets. */
  readonly localNetworks?: readonly string[];
}

export interface Clients {
  /** Returns the address to which limits apply, for IPv6 its /64 network; empty for a client on a Unix socket. */
  keyOf(request: IncomingMessage): string;
  /**
   * Returns whether the client is on this machine or in a local network. A request with a forwarding header is local
   * only when a trusted proxy sent it and every address in its headers is local. Loopback addresses in the headers
   * count as local only when the proxy itself is on this machine.
   */
  isLocal(request: IncomingMessage): boolean;
  /** Returns whether a proxy on this machine sent the request with forwarding headers, but is not a trusted proxy. */
  isFromUntrustedProxy(request: IncomingMessage): boolean;
}

export function createClients({ trustedProxies, localNetworks = [] }: ClientRules): Clients {
  const trustsUnix = trustedProxies.includes(unixProxy);
  const trusted = parseNetworks(trustedProxies.filter((each) => each !== unixProxy));
  const local = parseNetworks(localNetworks);
  const isTrusted = (request: IncomingMessage): boolean => {
    const { remoteAddress } = request.socket;
    if (remoteAddress === undefined) return trustsUnix && unixClients.has(request.socket);
    return trusted.length > 0 && isInNetworks(remoteAddress, trusted);
  };
  const isHere = ({ socket }: IncomingMessage): boolean =>
    // The socket of a disconnected TCP client has no address either: only a marked socket counts as a Unix socket.
    socket.remoteAddress === undefined ? unixClients.has(socket) : isLoopback(socket.remoteAddress);
  return {
    keyOf: (request) => {
      const forwarded = isTrusted(request) ? forwardedAddresses(request) : [];
      // The proxies nearest to this service are at the end.
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

/** Forwarding headers; the first one that is present is used. */
const forwardingHeaders = ["x-forwarded-for", "x-real-ip", "forwarded"] as const;

/**
 * Returns whether the request has a forwarding header. Every request is asked, so the names are constants: Node finds
 * them several times as fast as names in variables.
 */
export function isForwarded({ headers }: IncomingMessage): boolean {
  return Boolean(headers["x-forwarded-for"] || headers["x-real-ip"] || headers.forwarded);
}

function forwardedAddresses(request: IncomingMessage): readonly string[] {
  const name = forwardingHeaders.find((each) => headerOf(request, each) !== "");
  return name === undefined ? [] : addressesIn(request, name);
}

/** Returns the addresses in a forwarding header; an entry that is no address stays as it is. */
function addressesIn(request: IncomingMessage, name: (typeof forwardingHeaders)[number]): readonly string[] {
  const text = headerOf(request, name);
  if (text === "") return [];
  const entries = text.split(",");
  if (name !== "forwarded") return entries.map((each) => withoutPort(each.trim()));
  return entries.map((each) => withoutPort(/(?:^|;)\s*for\s*=\s*"?([^";]*)"?/i.exec(each)?.[1]?.trim() ?? ""));
}

/**
 * Returns the address without its port and brackets: `10.0.0.1` for `10.0.0.1:80`, `::1` for `[::1]:80` and `[::1]`.
 */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}

// A cache of one entry: successive requests mostly come from the same address.
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

/** Returns the remote address of the connection. An IPv4 address that is mapped to IPv6 is returned as IPv4. */
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
