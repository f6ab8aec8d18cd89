// Who is calling: loopback or not, and the address that limits and lookups go by (docs/access.md).

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { isInNetworks, parseNetworks } from "../../config/networks.ts";

/** One value of a header, by its name in lower case; several of the same name count as joined by commas. */
export function headerOf(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return value === undefined ? "" : Array.isArray(value) ? value.join(", ") : value;
}

const unixClients = new WeakSet<Socket>();

/** Its client came over a Unix socket. */
export function expectUnixClient(socket: Socket): void {
  unixClients.add(socket);
}

/** Stands in `trusted_proxies` for every proxy that connects over a Unix socket. */
export const unixProxy = "unix";

export interface ClientRules {
  /** Networks of proxies whose forwarding headers are believed, or `unix`. */
  readonly trustedProxies: readonly string[];
  /** Networks whose clients count as local besides loopback and Unix sockets. */
  readonly localNetworks?: readonly string[];
}

export interface Clients {
  /** The address that the limits of one client go by, IPv6 cut to its /64; empty for a client on a Unix socket. */
  keyOf(request: IncomingMessage): string;
  /**
   * Whether the client is on this machine or in a local network. A request with a forwarding header is local only when a trusted
   * proxy sent it and every address in its headers is local; loopback addresses count there when the proxy itself is on this machine.
   */
  isLocal(request: IncomingMessage): boolean;
  /** Whether a proxy on this machine sent the request, with forwarding headers that are not believed. */
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
    // A TCP client that has gone has no address either: only a socket that is known to be a Unix socket counts as one.
    socket.remoteAddress === undefined ? unixClients.has(socket) : isLoopback(socket.remoteAddress);
  return {
    keyOf: (request) => {
      const forwarded = isTrusted(request) ? forwardedAddresses(request) : [];
      // The proxies nearest to this service stand at the end.
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

/** In the order in which they are believed. */
const forwardingHeaders = ["x-forwarded-for", "x-real-ip", "forwarded"] as const;

/** The request says that it came through a proxy. */
export function isForwarded(request: IncomingMessage): boolean {
  return forwardingHeaders.some((name) => headerOf(request, name) !== "");
}

function forwardedAddresses(request: IncomingMessage): readonly string[] {
  const name = forwardingHeaders.find((each) => headerOf(request, each) !== "");
  return name === undefined ? [] : addressesIn(request, name);
}

/** As the header names them; an entry that is no address stays as it is. */
function addressesIn(request: IncomingMessage, name: (typeof forwardingHeaders)[number]): readonly string[] {
  const text = headerOf(request, name);
  if (text === "") return [];
  const entries = text.split(",");
  if (name !== "forwarded") return entries.map((each) => withoutPort(each.trim()));
  return entries.map((each) => withoutPort(/(?:^|;)\s*for\s*=\s*"?([^";]*)"?/i.exec(each)?.[1]?.trim() ?? ""));
}

/** `10.0.0.1:80` and `[::1]:80` lose their ports, `[::1]` its brackets. */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}

// Requests that follow each other mostly come from the same address.
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

/** Of the connection; an IPv4 address by itself, however it came. */
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
