// Opens the listeners of an agent (agent document, A.1.8): TCP, with TLS when both files are there, or a Unix socket; and
// a further Unix socket beside it.

import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config/schema.ts";
import { expectUnixClients } from "../http/client.ts";
import { type ListenAddress, parseListenAddress } from "../http/listen-address.ts";
import type { Log } from "../http/log.ts";

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Listeners {
  /** Of the main listener: `https://127.0.0.1:9529`, or the path of the socket. */
  readonly url: string;
  close(): Promise<void>;
}

const retryMs = 1000;
const socketMode = 0o722;

/** Undefined where TLS is not configured or a file is missing: then the listener speaks plain HTTP. */
export function readTlsFiles(config: Config, log: Log): TlsFiles | undefined {
  const cert = config["http_api.tls.cert"];
  const key = config["http_api.tls.privkey"];
  if (cert === "" && key === "") return undefined;
  const missing = [cert, key].filter((file) => file === "" || !existsSync(file));
  if (missing.length > 0) {
    log.warn(`TLS is off: ${missing.map((file) => file || "cert or privkey").join(" and ")} is missing`);
    return undefined;
  }
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

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

async function listen(app: FastifyInstance, address: ListenAddress, log: Log): Promise<string> {
  for (let tries = 0; ; tries++) {
    try {
      return await app.listen("path" in address ? address : { ...address, listenTextResolver: () => "" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      const text = "path" in address ? address.path : `${address.host}:${address.port}`;
      if (tries === 0) log.warn(`${text} is in use, trying again every second`);
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

async function openSocket(app: FastifyInstance, file: string): Promise<Server> {
  if (!path.isAbsolute(file)) throw new Error(`UDS path ${file} is not absolute`);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there !== undefined) {
    if (!there.isSocket()) throw new Error(`UDS path ${file} exists and is no socket`);
    rmSync(file);
  }
  const server = createServer((request, response) => app.routing(request, response));
  expectUnixClients(server);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path: file }, resolve);
  });
  chmodSync(file, socketMode);
  return server;
}
