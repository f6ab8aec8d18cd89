// Decides which requests are allowed (docs/access.md). Every client may call public paths. Only local clients
// may call all other paths. Even a local client's request is refused if it comes from a foreign web page (header
// Origin) or uses a foreign host name (header Host), which prevents DNS rebinding.

import type { IncomingMessage } from "node:http";
import { categories } from "../../../lib/point/index.ts";
import { ApiError } from "../errors.ts";
import { type Clients, headerOf } from "./client.ts";

export interface AccessOptions {
  readonly clients: Pick<Clients, "isLocal">;
  /**
   * Paths that every client may call. When the list is empty, every client may call the paths to which points are
   * written.
   */
  readonly publicApis: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /**
   * The host on which the service is configured to listen. The header Host of a request may name this host, unless
   * it is an address such as 0.0.0.0, which means all addresses of the machine.
   */
  readonly listenHost: string;
}

export interface Access {
  /**
   * Returns whether every client may call the path. A slash at the end of the path is ignored, because the service
   * only redirects a request for such a path to the path without the slash.
   */
  isPublic(path: string): boolean;
  /** Returns whether the request's header Origin names the service itself or an allowed origin. */
  isFriendlyOrigin(request: IncomingMessage): boolean;
  /** Throws an ApiError with the status 403 and an agent's error code when the request is not allowed. */
  check(request: IncomingMessage, path: string): void;
}

const alwaysPublic = ["/v1/ping", "/v1/ntp"];
const localHosts = ["localhost", "127.0.0.1", "[::1]"];
/**
 * Addresses that mean all addresses of the machine. They are never accepted as the service's own host. Browsers
 * reach this machine under these addresses, so any web page could use them in a request.
 */
const allAddresses = new Set(["0.0.0.0", "[::]"]);

export function createAccess(options: AccessOptions): Access {
  const writes = categories.map((category) => `/v1/write/${category}`);
  const exact = new Set(alwaysPublic);
  const prefixes: string[] = [];
  for (const entry of options.publicApis.length === 0 ? writes : options.publicApis.map(normalized)) {
    if (entry === "/v1/write/:category") for (const write of writes) exact.add(write);
    else if (entry.endsWith("*")) prefixes.push(entry.slice(0, -1));
    else if (entry === "/") {
      // When the page of the playground (in which users try scripts) is public, the files that the page loads are
      // public, too.
      exact.add(entry);
      exact.add("/service-worker.js");
      prefixes.push("/assets/");
    } else exact.add(entry);
  }
  const origins = new Set(options.allowedOrigins);
  const hosts = new Set(
    [...localHosts, ...(allAddresses.has(options.listenHost) ? [] : [options.listenHost]), ...options.allowedHosts].map(
      (host) => host.toLowerCase(),
    ),
  );

  const isListed = (path: string) => exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix));
  const isPublic = (path: string) => isListed(path) || (path.endsWith("/") && isListed(path.slice(0, -1)));

  const isFriendlyOrigin = (request: IncomingMessage) => {
    const origin = headerOf(request, "origin");
    if (origins.has(origin)) return true;
    const scheme = "encrypted" in request.socket ? "https" : "http";
    return isKnownHost(request) && origin === `${scheme}://${headerOf(request, "host")}`;
  };

  const isKnownHost = (request: IncomingMessage) =>
    hosts.has(headerOf(request, "host").toLowerCase().replace(/:\d*$/, "")) ||
    hosts.has(headerOf(request, "host").toLowerCase());

  const check = (request: IncomingMessage, path: string) => {
    if (isPublic(path)) return;
    if (!options.clients.isLocal(request)) {
      throw refusal(`api ${path} disabled from external IP, only loopback(localhost) allowed`);
    }
    if (!isKnownHost(request))
      throw refusal(`api ${path} disabled for host ${JSON.stringify(headerOf(request, "host"))}`);
    if (request.headers.origin !== undefined && !isFriendlyOrigin(request)) {
      throw refusal(`api ${path} disabled for origin ${JSON.stringify(headerOf(request, "origin"))}`);
    }
  };

  return { isPublic, isFriendlyOrigin, check };
}

function normalized(entry: string): string {
  const trimmed = entry.trim();
  return trimmed.startsWith("/") ? trimmed : `/${trimmed}`;
}

function refusal(message: string): ApiError {
  return new ApiError("agent.publicAccessDisabled", message);
}
