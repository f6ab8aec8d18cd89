// Functions for all services that listen for connections: they read the TLS files, listen on an address, and
// wait while a port is in use.

import { readFileSync } from "node:fs";
import { Server as TlsServer } from "node:https";
import type { FastifyInstance } from "fastify";
import type { ListenAddress } from "../config/listen-address.ts";
import type { Log } from "../telemetry/log.ts";
import { expectUnixClient } from "./guards/client.ts";

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

const retryMs = 1000;

/**
 * Reads the TLS files. Returns undefined when TLS is not configured. Throws when a file cannot be read, because
 * a service that should use TLS must never use plain HTTP instead.
 */
export function readTlsFiles(cert: string, key: string): TlsFiles | undefined {
  if (cert === "" && key === "") return undefined;
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

/** Listens on the address and returns its URL. While the port is in use, tries again every second. */
export async function listen(
  app: FastifyInstance,
  address: ListenAddress,
  log: Log,
  signal?: AbortSignal,
): Promise<string> {
  // Marks the connections to a Unix socket, because their clients count as local.
  if ("path" in address) app.server.on("connection", expectUnixClient).on("secureConnection", expectUnixClient);
  const options = "path" in address ? address : { ...address, listenTextResolver: () => "" };
  const url = await whenFree(address, () => app.listen(options), log, signal);
  // Fastify does not know that the server uses TLS, so the URL from Fastify begins with `http:` and is corrected here.
  return app.server instanceof TlsServer ? url.replace(/^http:/, "https:") : url;
}

/**
 * Calls `attempt`, which tries to listen on an address. While the address is in use, calls `attempt` again every
 * second until it succeeds or `signal` aborts. Throws any other error of `attempt`.
 */
export async function whenFree<T>(
  address: ListenAddress,
  attempt: () => Promise<T>,
  log: Log,
  signal?: AbortSignal,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || signal?.aborted) throw error;
      const text = "path" in address ? address.path : `${address.host}:${address.port}`;
      if (tries === 0) log.warn(`${text} is in use, trying again every second`);
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
