// The listeners of an agent (docs/reference/agent.md#listeners): a TCP port or a Unix socket, and optionally a second
// Unix socket. A listener stays open during a reload when the new configuration still names it.

import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import path from "node:path";
import { type ListenAddress, parseListenAddress } from "../../config/listen-address.ts";
import type { Config } from "../../config/schema.ts";
import { expectUnixClient } from "../../http/guards/client.ts";
import { whenFree } from "../../http/listen.ts";
import type { Log } from "../../telemetry/log.ts";

export interface Listeners {
  /**
   * Opens the listeners that `config` names and that are not open yet. Waits while an address is in use, until `signal`
   * aborts.
   */
  open(config: Config, log: Log, signal?: AbortSignal): Promise<void>;
  /** Closes those listeners that `config` does not name. */
  keepOnly(config: Config): void;
  /** Returns the URL of the main listener, such as `https://127.0.0.1:9529`, or the path of its socket. */
  urlOf(config: Config, isSecure: boolean): string;
  close(): void;
}

/**
 * The listener that accepted a connection: the main one (TCP or a Unix socket), or the second Unix socket (`further`).
 */
export type ListenerKind = "tcp" | "unix" | "further";

const socketMode = 0o722;

/** Creates the listeners. `take` gets accepted connections from which nothing was read. */
export function createListeners(take: (socket: Socket, entrance: ListenerKind) => void): Listeners {
  const open = new Map<string, Open>();
  const close = (key: string) => {
    open.get(key)?.server.close();
    open.delete(key);
  };
  const add = async (named: Named, log: Log, signal: AbortSignal | undefined) => {
    open.set(named.key, { named, server: await openOne(named, take, log, signal) });
  };
  const rivalOf = ({ address }: Named, wanted: readonly Named[]) =>
    [...open.values()].find(
      ({ named }) => areRivals(named.address, address) && wanted.every(({ key }) => key !== named.key),
    )?.named;

  return {
    open: async (config, log, signal) => {
      const wanted = namedBy(config);
      const missing = wanted.filter(({ key }) => !open.has(key));
      const replaced: Named[] = [];
      const replace = async (rival: Named, named: Named) => {
        close(rival.key);
        replaced.push(rival);
        await add(named, log, signal);
      };
      try {
        for (const named of missing) {
          const rival = rivalOf(named, wanted);
          // Closing a Unix listener removes the file of its socket, even when another listener has created this file
          // anew. So the old listener is closed before the new one is opened.
          if (rival !== undefined && "path" in named.address) await replace(rival, named);
          else
            await add(named, log, signal).catch(async (error: NodeJS.ErrnoException) => {
              if (error.code !== "EADDRINUSE" || rival === undefined) throw error;
              await replace(rival, named);
            });
        }
      } catch (error) {
        for (const { key } of missing) close(key);
        for (const rival of replaced) await add(rival, log, signal);
        throw error;
      }
    },
    keepOnly: (config) => {
      const kept = namedBy(config).map(({ key }) => key);
      for (const key of [...open.keys()]) if (!kept.includes(key)) close(key);
    },
    urlOf: (config, isSecure) => {
      const address = open.get(namedBy(config)[0].key)!.server.address() as AddressInfo | string;
      if (typeof address === "string") return address;
      const { address: host, family, port } = address;
      const named = host === "0.0.0.0" ? "127.0.0.1" : family === "IPv6" ? `[${host}]` : host;
      return `${isSecure ? "https" : "http"}://${named}:${port}`;
    },
    close: () => {
      for (const key of [...open.keys()]) close(key);
    },
  };
}

/**
 * Returns whether two addresses exclude each other, so that only one of them can be in use at a time. Two TCP addresses
 * with the same port exclude each other, even when their hosts differ, such as 127.0.0.1 and 0.0.0.0.
 */
function areRivals(one: ListenAddress, other: ListenAddress): boolean {
  if ("path" in one || "path" in other) return "path" in one && "path" in other && one.path === other.path;
  return one.port === other.port;
}

interface Named {
  readonly key: string;
  readonly entrance: ListenerKind;
  readonly address: ListenAddress;
}

interface Open {
  readonly named: Named;
  readonly server: Server;
}

/** Returns the listeners that the configuration names, the main listener first. */
function namedBy(config: Config): Named[] {
  const address = parseListenAddress(config["http_api.listen"]);
  const further = config["http_api.listen_socket"];
  const main: Omit<Named, "key"> = { entrance: "path" in address ? "unix" : "tcp", address };
  const all = further === "" ? [main] : [main, { entrance: "further", address: { path: further } } as const];
  return all.map((each) => ({ ...each, key: `${each.entrance} ${JSON.stringify(each.address)}` }));
}

async function openOne(
  { entrance, address }: Named,
  take: (socket: Socket, entrance: ListenerKind) => void,
  log: Log,
  signal: AbortSignal | undefined,
): Promise<Server> {
  if (entrance === "unix" && "path" in address) rmSync(address.path, { force: true });
  if (entrance === "further" && "path" in address) clear(address.path);
  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (socket) => {
    if (entrance !== "tcp") expectUnixClient(socket);
    take(socket, entrance);
  });
  const attempt = () =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(address, () => {
        server.off("error", reject);
        resolve();
      });
    });
  await whenFree(address, attempt, log, signal);
  if (entrance === "further" && "path" in address) chmodSync(address.path, socketMode);
  return server;
}

/** Removes the file of an old Unix socket, so that a new one can be created. Throws when the file is not a socket. */
function clear(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there === undefined) return;
  // An error with a system code (such as EEXIST) is logged without a stack, because the operator can fix its cause.
  if (!there.isSocket()) throw Object.assign(new Error(`UDS path ${file} exists and is no socket`), { code: "EEXIST" });
  rmSync(file);
}
