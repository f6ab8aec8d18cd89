// Finds out whether a TCP port is free, by listening on it.

import { createServer } from "node:net";
import type { ListenAddress } from "../config/listen-address.ts";

/** Tries to listen on an address. Returns the code of the error, or undefined when listening succeeded. */
export function tryPort(address: Exclude<ListenAddress, { path: string }>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ ...address, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
