// Where requests are sent: the entries of the sink rules, and the platform for those that no rule routes.

import { createHash } from "node:crypto";
import { targetUrl } from "../../lib/sharding/match.ts";
import type { SinkEntry } from "../../lib/sharding/sink-rules.ts";
import { type CircuitBreaker, createCircuitBreaker } from "../outbound/circuit-breaker.ts";

export interface Target {
  /** Of its queue and in the metrics; tells no token. */
  readonly name: string;
  /** `http://host:port`. */
  readonly origin: string;
  readonly token: string;
  /** What it refuses is kept as a dead letter. Not so for clients that brought their own token: they are told. */
  readonly buries: boolean;
  readonly breaker: CircuitBreaker;
  /** With the token in place of that of `query`, and the path of the target before `path`. */
  urlOf(path: string, query: string): string;
}

export interface Targets {
  of(entry: SinkEntry): Target;
  direct(token: string): Target;
  /** The circuit breaker of the queue with this name; undefined when nothing was sent there since the start. */
  breakerOf(name: string): CircuitBreaker | undefined;
}

/** The end of a queue's name. */
export const queueNamePattern = /-[0-9a-f]{8}$/;

export function createTargets(remoteHost: string): Targets {
  /** By URL, so that a target outlives the rules it stands in. */
  const known = new Map<string, Target>();
  const breakers = new Map<string, CircuitBreaker>();
  const breakerOf = (name: string): CircuitBreaker => {
    let breaker = breakers.get(name);
    if (breaker === undefined) breakers.set(name, (breaker = createCircuitBreaker()));
    return breaker;
  };
  return {
    breakerOf: (name) => breakers.get(name),
    of: (entry) => {
      let target = known.get(entry.url);
      if (target === undefined) {
        const name = nameOf(entry.url, entry.url);
        const { origin } = new URL(entry.url);
        target = { name, origin, token: entry.token, buries: true, breaker: breakerOf(name), urlOf: urlOf(entry.url) };
        known.set(entry.url, target);
      }
      return target;
    },
    direct: (token) => {
      const url = new URL(remoteHost);
      // One queue for all clients: a token of a client makes no folder.
      const name = nameOf(`direct ${remoteHost}`, remoteHost);
      url.searchParams.set("token", token);
      return { name, origin: url.origin, token, buries: false, breaker: breakerOf(name), urlOf: urlOf(url.href) };
    },
  };
}

function urlOf(url: string): Target["urlOf"] {
  return (path, query) => targetUrl({ url }, path, query);
}

function nameOf(secret: string, url: string): string {
  const digest = createHash("sha256").update(secret).digest("hex").slice(0, 8);
  return `${new URL(url).host.replace(/[^a-z0-9.]+/gi, "-")}-${digest}`;
}
