// The HTTP servers of one of an agent's processes. They outlive the agent: their connections go on while the configuration is
// read anew, and requests that come meanwhile wait for the agent that starts.

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
  /** That of the connections that are taken, once an agent has served. */
  readonly server: Server;
  readonly isSecure: boolean;
  /** Connections that are open. */
  readonly count: number;
  /** Of a connection that was accepted and not read from; one that is `plain` never speaks TLS. */
  take(socket: Socket, plain?: boolean): void;
  /** Requests go to `listener`, those that wait first. With `tls` connections that are taken speak HTTPS. */
  serve(config: Config, tls: TlsFiles | undefined, listener: RequestListener): void;
  /** Requests wait from now on. */
  hold(): void;
  /** Requests are answered 503 from now on, those that wait first. */
  refuse(): void;
  /** As Connections. */
  close(ms: number): Promise<void>;
}

interface Front {
  readonly server: Server;
  readonly isSecure: boolean;
  readonly connections: Connections;
}

/** As many as a socket that listens lets wait. */
const mostWaiting = 511;
const retiredMs = 10_000;

/** `onClosed`: one of the connections. */
export function createHttpServers(onClosed: () => void = () => {}): HttpServers {
  let listener: RequestListener = hold;
  let waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  let main: Front | undefined;
  /** For plain connections beside TLS. */
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
      // Its client has gone.
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

/** Resolves when none is under way, or after `ms`. */
export async function answered(underWay: () => number, ms: number): Promise<void> {
  for (const end = performance.now() + ms; underWay() > 0 && performance.now() < end; ) await wait(answeredLookMs);
}
