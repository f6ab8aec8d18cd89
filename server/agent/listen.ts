// Opens the listeners of an agent (agent document, A.1.8): TCP, with TLS when both files are there, or a Unix socket; and
// a further Unix socket beside it.

import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createServer as createNetServer, type Socket } from "node:net";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import { type ListenAddress, parseListenAddress } from "../config/listen-address.ts";
import type { Config } from "../config/schema.ts";
import { expectUnixClients } from "../http/client.ts";
import { listen, whenFree } from "../http/listen.ts";
import type { Log } from "../http/log.ts";
import { connectionsOf } from "./intake/connections.ts";

export interface Listeners {
  /** Of the main listener: `https://127.0.0.1:9529`, or the path of the socket. */
  readonly url: string;
  /** New TCP connections come no more where they may be given away; those that are open go on. */
  refuse(): void;
  close(): Promise<void>;
}

/** May give a connection to another process, by the number of those that this one has; tells whether it did. */
export type GiveAway = (socket: Socket, own: number) => boolean;

const socketMode = 0o722;
const closeMs = 10_000;

/** With `giveAway` not all connections are the application's. */
export async function openListeners(
  app: FastifyInstance,
  config: Config,
  log: Log,
  giveAway?: GiveAway,
): Promise<Listeners> {
  const address = parseListenAddress(config["http_api.listen"]);
  if ("path" in address) {
    rmSync(address.path, { force: true });
    expectUnixClients(app.server);
  }
  const front = giveAway === undefined ? undefined : await openFront(app, address, log, giveAway);
  const url = front?.url ?? (await listen(app, address, log));
  const socket = config["http_api.listen_socket"];
  const failed = (error: Error) => {
    // The application is closed by whoever made it, and does not know of this listener.
    front?.refuse();
    throw error;
  };
  const extra = socket === "" ? undefined : await openSocket(app, socket).catch(failed);
  return {
    url,
    refuse: () => front?.refuse(),
    close: async () => {
      await new Promise<void>((resolve) => (extra === undefined ? resolve() : extra.close(() => resolve())));
      await front?.close();
    },
  };
}

/** Accepts connections for the application and for others. */
async function openFront(
  app: FastifyInstance,
  address: ListenAddress,
  log: Log,
  giveAway: GiveAway,
): Promise<Listeners> {
  await app.ready();
  const connections = connectionsOf(app.server);
  const front = createNetServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (socket) => {
    if (!giveAway(socket, connections.count)) connections.take(socket);
  });
  const attempt = () =>
    new Promise<void>((resolve, reject) => {
      front.once("error", reject);
      front.listen(address, () => {
        front.off("error", reject);
        resolve();
      });
    });
  await whenFree(address, attempt, log);
  const { address: host, family, port } = front.address() as AddressInfo;
  return {
    url: `${app.initialConfig.https ? "https" : "http"}://${family === "IPv6" ? `[${host}]` : host}:${port}`,
    refuse: () => void front.close(),
    close: async () => {
      front.close();
      // No request is taken any more.
      await app.close();
      await connections.close(closeMs);
    },
  };
}

async function openSocket(app: FastifyInstance, file: string): Promise<Server> {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there !== undefined) {
    // With a code of the system, as its own refusals: the user's to mend, told without a stack.
    if (!there.isSocket())
      throw Object.assign(new Error(`UDS path ${file} exists and is no socket`), { code: "EEXIST" });
    rmSync(file);
  }
  const server = createServer((request, response) => app.server.emit("request", request, response));
  expectUnixClients(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path: file }, resolve);
  });
  chmodSync(file, socketMode);
  return server;
}
