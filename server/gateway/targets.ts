// The targets of requests: the entries of the sink rules, and the platform for requests that no rule routes.

import { createHash } from "node:crypto";
import { type SinkEntry, targetUrl } from "../../lib/sharding/index.ts";
import { type CircuitBreaker, createCircuitBreaker } from "../outbound/circuit-breaker.ts";

export interface Target {
  /** Name of its queue, also used in the metrics; does not show the token. */
  readonly name: string;
  /** Origin of the target: `http://host:port`. */
  readonly origin: string;
  readonly token: string;
  /**
   * Whether requests that it refuses are kept as dead letters. False for clients that brought their own token: they get
   * the refusal as the answer.
   */
  readonly buries: boolean;
  readonly breaker: CircuitBreaker;
  /** Returns the URL of a request: `query` with the target's token, and the target's path before `path`. */
  urlOf(path: string, query: string): string;
}

export interface Targets {
  of(entry: SinkEntry): Target;
  direct(token: string): Target;
  /** Returns the circuit breaker of the queue with this name; undefined when nothing was sent there since the start. */
  breakerOf(name: string): CircuitBreaker | undefined;
}

/** Pattern of the end of a queue's name. */
export const queueNamePattern = /-[0-9a-f]{8}$/;

export function createTargets(remoteHost: string): Targets {
  /** Targets by URL, so that a target outlives the rules that name it. */
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
      // All clients share one queue: the token of a client does not create a folder.
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
