// What every service does to listen: the files of TLS, and a port that is waited for.

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

/** Undefined where TLS is not configured. Throws when a file cannot be read: nothing else is spoken in its place. */
export function readTlsFiles(cert: string, key: string): TlsFiles | undefined {
  if (cert === "" && key === "") return undefined;
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

/** Gives the URL. A port in use is waited for. */
export async function listen(
  app: FastifyInstance,
  address: ListenAddress,
  log: Log,
  signal?: AbortSignal,
): Promise<string> {
  // Clients of a Unix socket are local.
  if ("path" in address) app.server.on("connection", expectUnixClient).on("secureConnection", expectUnixClient);
  const options = "path" in address ? address : { ...address, listenTextResolver: () => "" };
  const url = await whenFree(address, () => app.listen(options), log, signal);
  // Fastify does not look at the server that it is given.
  return app.server instanceof TlsServer ? url.replace(/^http:/, "https:") : url;
}

/** An address in use is tried again every second, until `signal` ends it. */
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
