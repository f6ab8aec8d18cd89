// Who is calling: loopback or not, and the address that limits and lookups go by (agent document, A.1.4 and A.1.6).

import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { isInNetworks, type Network } from "../config/networks.ts";

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

/**
 * A request that carries a forwarding header came through a proxy and is never local, whatever the header says.
 * Otherwise a Unix socket, a loopback peer, or a peer in one of `localNetworks` is.
 */
export function isLocal(request: IncomingMessage, localNetworks: readonly Network[]): boolean {
  if (headerOf(request, "x-forwarded-for") !== "" || headerOf(request, "x-real-ip") !== "") return false;
  const peer = request.socket.remoteAddress;
  // A TCP client that has gone has no address either: only what is known to be a Unix socket counts as one.
  if (peer === undefined) return unixClients.has(request.socket);
  if (!ipaddr.isValid(peer)) return false;
  return ipaddr.process(peer).range() === "loopback" || isInNetworks(peer, localNetworks);
}

/** The address a client is limited by: last of `X-Forwarded-For`, else `X-Real-IP`, else the peer; IPv6 cut to its /64. */
export function limitedAddress(request: IncomingMessage): string {
  const forwarded = headerOf(request, "x-forwarded-for").split(",").at(-1)!.trim();
  const text = forwarded || headerOf(request, "x-real-ip").trim() || request.socket.remoteAddress || "";
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
