// The targets of requests: the servers that the sink rules (routing rules) name, and the platform for requests that are
// not routed by rules.

import { createHash } from "node:crypto";
import { type SinkEntry, targetUrl } from "../../lib/sharding/index.ts";
import { type CircuitBreaker, createCircuitBreaker } from "../outbound/circuit-breaker.ts";

export interface Target {
  /** The name of the target's queue, which is also used in the metrics. It does not contain the target's token. */
  readonly name: string;
  /** The origin of the target's URL, such as `http://host:port`. */
  readonly origin: string;
  readonly token: string;
  /**
   * Whether a request that the target refuses is stored as a dead letter (a stored request that is not sent
   * again). False for a client that brought its own token, because this client gets the refusal as the answer.
   */
  readonly buries: boolean;
  readonly breaker: CircuitBreaker;
  /**
   * Returns the URL of a request to the target. The target's own path is put before `path`, and the target's token
   * replaces the token in `query`.
   */
  urlOf(path: string, query: string): string;
}

export interface Targets {
  of(entry: SinkEntry): Target;
  direct(token: string): Target;
  /**
   * Returns the circuit breaker (which pauses sending after failures) for the target of a queue. Returns undefined when
   * nothing was sent to this target since the start. `name`: the name of the queue.
   */
  breakerOf(name: string): CircuitBreaker | undefined;
}

/** Matches the end of a queue's name, which is a hyphen and a hash of eight hexadecimal digits. */
export const queueNamePattern = /-[0-9a-f]{8}$/;

export function createTargets(remoteHost: string): Targets {
  /**
   * All targets, by URL. A target stays here even when new rules no longer name it, because requests may still be
   * waiting in its queue.
   */
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
      // All clients that bring their own token share one queue. Otherwise clients could create any number of queues by
      // inventing tokens.
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
