// Serves connections with an HTTP server that does not listen itself. Another socket or process accepts the
// connections.

import type { Server } from "node:http";
import { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";

export interface Connections {
  /** Number of connections that are open at this moment. */
  readonly count: number;
  /** Takes over an accepted connection from which nothing was read. */
  take(socket: Socket): void;
  /**
   * Closes idle connections at once. Resolves when the last request is answered; after `ms` milliseconds, closes all
   * connections.
   */
  close(ms: number): Promise<void>;
}

const closingLookMs = 50;

export function connectionsOf(server: Server, onClosed: () => void = () => {}): Connections {
  const open = new Set<Socket>();
  /** Open TLS sockets whose handshake is done. */
  const secure = new Set<Socket>();
  /**
   * Connections whose TLS handshake is not done. The key is the address and port of the client. They are closed
   * explicitly here, since Node does not close such a connection when its client disconnects.
   */
  const beginning = new Map<string, Socket>();
  server.on("secureConnection", (socket: Socket) => {
    beginning.delete(clientOf(socket));
    secure.add(socket);
    socket.once("close", () => secure.delete(socket));
  });
  // Node starts its check for clients that send too slowly at the event "listening". This server does not listen, so
  // the event is emitted here.
  server.emit("listening");
  return {
    get count() {
      return open.size;
    },
    take: (socket) => {
      open.add(socket);
      const client = clientOf(socket);
      if (server instanceof TlsServer && socket.remotePort !== undefined) beginning.set(client, socket);
      socket.once("close", () => {
        open.delete(socket);
        if (beginning.get(client) === socket) beginning.delete(client);
        onClosed();
      });
      server.emit("connection", socket);
      socket.resume();
    },
    close: async (ms) => {
      server.close();
      const end = performance.now() + ms;
      while (open.size > 0) {
        server.closeIdleConnections();
        await new Promise((resolve) => setTimeout(resolve, closingLookMs));
        const isLate = performance.now() >= end;
        // Node does not count a connection as idle before its first request. So connections whose TLS handshake is not
        // done are closed separately here.
        for (const socket of beginning.values()) socket.destroy();
        for (const socket of [...open, ...secure]) if (isLate || socket.bytesRead === 0) socket.destroy();
      }
    },
  };
}

/**
 * Returns the address and port of the client. They identify a connection, since a TLS socket and the TCP socket below
 * it have the same client address and port.
 */
function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
