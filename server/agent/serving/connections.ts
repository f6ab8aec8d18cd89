// Connections that an HTTP server takes without listening itself: another socket, or another process, accepts them for it.

import type { Server } from "node:http";
import { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";

export interface Connections {
  /** Those that are open. */
  readonly count: number;
  /** Of a connection that was accepted and not read from. */
  take(socket: Socket): void;
  /** Resolves when the last request is answered: connections that wait for one are closed, and after `ms` all of them. */
  close(ms: number): Promise<void>;
}

const closingLookMs = 50;

export function connectionsOf(server: Server, onClosed: () => void = () => {}): Connections {
  const open = new Set<Socket>();
  /** Over some of those: what they carry once both sides speak TLS. */
  const secure = new Set<Socket>();
  /** Connections that do not speak TLS yet, by their clients. Node does not close one whose client goes away instead. */
  const beginning = new Map<string, Socket>();
  server.on("secureConnection", (socket: Socket) => {
    beginning.delete(clientOf(socket));
    secure.add(socket);
    socket.once("close", () => secure.delete(socket));
  });
  // From this event on Node watches over clients that are too slow.
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
        // Node does not take one for idle that has not had its first request.
        for (const socket of beginning.values()) socket.destroy();
        for (const socket of [...open, ...secure]) if (isLate || socket.bytesRead === 0) socket.destroy();
      }
    },
  };
}

/** The address and the port of the client: the same for a connection and for what it carries. */
function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
