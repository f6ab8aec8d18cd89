// The HTTP servers of one process. They outlive the agent: connections stay open while the configuration is reloaded,
// and requests that arrive meanwhile wait for the next agent.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../../config/schema.ts";
import type { TlsFiles } from "../../http/listen.ts";
import { type Connections, connectionsOf } from "./connections.ts";
import { createAgentServer, setTimeouts } from "./http-server.ts";
import { answerNotReady } from "./not-ready.ts";

export interface HttpServers {
  /** The server that handles the connections. It exists only after an agent has begun to answer requests. */
  readonly server: Server;
  readonly isSecure: boolean;
  /** Number of open connections of this process. */
  readonly count: number;
  /** Takes over an accepted connection from which nothing was read. A `plain` connection never uses TLS. */
  take(socket: Socket, plain?: boolean): void;
  /** Passes requests to `listener`, the waiting requests first. With `tls`, connections taken from now on use HTTPS. */
  serve(config: Config, tls: TlsFiles | undefined, listener: RequestListener): void;
  /** Makes all requests wait from now on, until `serve` or `refuse` is called. */
  hold(): void;
  /** Answers all requests from now on with the status 503, the waiting requests first. */
  refuse(): void;
  /**
   * Closes idle connections at once, and each other connection when its request is answered. After `ms` milliseconds,
   * closes all connections.
   */
  close(ms: number): Promise<void>;
}

interface Front {
  readonly server: Server;
  readonly isSecure: boolean;
  readonly connections: Connections;
}

/** Largest number of waiting requests: as many as Node lets wait at a listening socket by default. */
const mostWaiting = 511;
const retiredMs = 10_000;

/** Creates the HTTP servers. `onClosed` is called each time a connection is closed. */
export function createHttpServers(onClosed: () => void = () => {}): HttpServers {
  let listener: RequestListener = hold;
  let waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  let main: Front | undefined;
  /** The server for `plain` connections, which never use TLS. It exists only when the main server uses TLS. */
  let side: Front | undefined;
  let inForce: Config;

  const open = (tls: TlsFiles | undefined): Front => {
    const server = createAgentServer(tls, (request, response) => listener(request, response));
    setTimeouts(server, inForce);
    return { server, isSecure: tls !== undefined, connections: connectionsOf(server, onClosed) };
  };
  const plainFront = () => (main!.isSecure ? (side ??= open(undefined)) : main!);
  const fronts = () => [main, side].filter((each) => each !== undefined);
  const goOn = (next: RequestListener) => {
    listener = next;
    for (const [request, response] of waiting.splice(0)) {
      // Skips a request whose client has disconnected while the request waited.
      if (request.socket.destroyed) continue;
      listener(request, response);
    }
  };

  return {
    get server() {
      return main!.server;
    },
    get isSecure() {
      return main?.isSecure === true;
    },
    get count() {
      return fronts().reduce((sum, { connections }) => sum + connections.count, 0);
    },
    take: (socket, plain = false) => (plain ? plainFront() : main!).connections.take(socket),
    serve: (config, tls, next) => {
      inForce = config;
      if (main !== undefined && main.isSecure !== (tls !== undefined)) {
        for (const { connections } of fronts()) void connections.close(retiredMs);
        main = side = undefined;
      }
      if (main !== undefined && tls !== undefined) (main.server as TlsServer).setSecureContext(tls);
      main ??= open(tls);
      for (const { server } of fronts()) setTimeouts(server, config);
      goOn(next);
    },
    hold: () => {
      listener = hold;
    },
    refuse: () => goOn(refuse),
    close: async (ms) => {
      await Promise.all(fronts().map(({ connections }) => connections.close(ms)));
    },
  };

  function hold(request: IncomingMessage, response: ServerResponse): void {
    if (waiting.length >= mostWaiting) waiting = waiting.filter(([{ socket }]) => !socket.destroyed);
    if (waiting.length >= mostWaiting) refuse(request, response);
    else waiting.push([request, response]);
  }
}

function refuse(_request: IncomingMessage, response: ServerResponse): void {
  answerNotReady(response, "the agent starts with a new configuration");
}

const answeredLookMs = 5;

/** Resolves when `underWay` returns 0 (no request is being answered), or after `ms` milliseconds. */
export async function answered(underWay: () => number, ms: number): Promise<void> {
  for (const end = performance.now() + ms; underWay() > 0 && performance.now() < end; ) await wait(answeredLookMs);
}
