// Serves connections with an HTTP server that does not listen itself: another socket or process accepts them.

import type { Server } from "node:http";
import { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";

export interface Connections {
  /** Number of open connections. */
  readonly count: number;
  /** Takes over an accepted connection from which nothing was read. */
  take(socket: Socket): void;
  /**
   * Resolves when the last request is answered. Closes idle connections at once, and all connections after `ms`
   * milliseconds.
   */
  close(ms: number): Promise<void>;
}

const closingLookMs = 50;

export function connectionsOf(server: Server, onClosed: () => void = () => {}): Connections {
  const open = new Set<Socket>();
  /** TLS sockets on top of open connections, after the handshake. */
  const secure = new Set<Socket>();
  /**
   * Connections before the end of their TLS handshake, by client. Node does not close such a connection when its client
   * disconnects.
   */
  const beginning = new Map<string, Socket>();
  server.on("secureConnection", (socket: Socket) => {
    beginning.delete(clientOf(socket));
    secure.add(socket);
    socket.once("close", () => secure.delete(socket));
  });
  // Node starts checking for slow clients at this event.
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
        // Node does not count a connection as idle before its first request.
        for (const socket of beginning.values()) socket.destroy();
        for (const socket of [...open, ...secure]) if (isLate || socket.bytesRead === 0) socket.destroy();
      }
    },
  };
}

/** Returns the address and port of the client. A TLS socket and the connection below it have the same ones. */
function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
