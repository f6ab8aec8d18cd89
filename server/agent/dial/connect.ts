// Opens TCP connections for dial tests, and TLS over these connections. Connects only to addresses that were
// checked against the forbidden networks. A connection may fail at any time, and an error without a listener
// would end the process. Therefore every socket and every request always has an error listener.

import { type EventEmitter, once } from "node:events";
import { isIP, type Socket, connect as tcpConnect } from "node:net";
import { type TLSSocket, connect as tlsConnect } from "node:tls";
import { type Address, pinned } from "./networks.ts";

export interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Opens a TCP connection to one of the addresses. The caller must destroy the socket. */
export async function openSocket(
  addresses: readonly [Address, ...Address[]],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  // The host name is a dummy and `lookup` returns only the checked addresses. So the socket cannot connect to any other
  // address.
  const socket = tcpConnect({ host: "checked.invalid", port, lookup: pinned(addresses), noDelay: true });
  ignoreErrors(socket);
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw firstOf(error);
  }
}

/**
 * Returns the error to report for a failed connection. When a host has several addresses, Node throws one
 * AggregateError with an error for each address; this function returns the first of these errors.
 */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
}

export async function openTls(
  socket: Socket,
  host: string,
  options: TlsOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const secure = tlsConnect({ socket, ...(isIP(host) === 0 ? { servername: host } : { host }), ...options });
  ignoreErrors(secure);
  try {
    await once(secure, "secureConnect", { signal });
    return secure;
  } catch (error) {
    secure.destroy();
    throw error;
  }
}

/**
 * Adds a listener for errors of a socket or request. The listener does nothing; without a listener, an error would end
 * the process.
 */
export function ignoreErrors(emitter: EventEmitter): void {
  emitter.on("error", () => {});
}
