// Opens the listeners of an agent (agent document, A.1.8): TCP, with TLS when both files are there, or a Unix socket; and
// a further Unix socket beside it.

import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import { parseListenAddress } from "../config/listen-address.ts";
import type { Config } from "../config/schema.ts";
import { expectUnixClients } from "../http/client.ts";
import { listen } from "../http/listen.ts";
import type { Log } from "../http/log.ts";

export interface Listeners {
  /** Of the main listener: `https://127.0.0.1:9529`, or the path of the socket. */
  readonly url: string;
  close(): Promise<void>;
}

const socketMode = 0o722;

export async function openListeners(app: FastifyInstance, config: Config, log: Log): Promise<Listeners> {
  const address = parseListenAddress(config["http_api.listen"]);
  if ("path" in address) {
    rmSync(address.path, { force: true });
    expectUnixClients(app.server);
  }
  const url = await listen(app, address, log);
  const socket = config["http_api.listen_socket"];
  const extra = socket === "" ? undefined : await openSocket(app, socket);
  return {
    url,
    close: async () => {
      await new Promise<void>((resolve) => (extra === undefined ? resolve() : extra.close(() => resolve())));
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
