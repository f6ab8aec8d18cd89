// Opens a TCP connection to checked addresses, and TLS over it. What is dialed may fail at any moment, also when nobody
// waits for it: every socket and request has a listener for errors for as long as it lives.

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

/** The caller destroys the socket. */
export async function openSocket(
  addresses: readonly [Address, ...Address[]],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  // Not the name: only what was checked is dialed.
  const socket = tcpConnect({ host: "checked.invalid", port, lookup: pinned(addresses), noDelay: true });
  tolerate(socket);
  try {
    await once(socket, "connect", { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw firstOf(error);
  }
}

/** A name with several addresses fails with all reasons; the first says it. */
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
  tolerate(secure);
  try {
    await once(secure, "secureConnect", { signal });
    return secure;
  } catch (error) {
    secure.destroy();
    throw error;
  }
}

/** An error that comes when nobody listens ends nothing. */
export function tolerate(emitter: EventEmitter): void {
  emitter.on("error", () => {});
}
