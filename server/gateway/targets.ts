// Where requests are sent: the entries of the sink rules, and the platform for those that no rule routes.

import { createHash } from "node:crypto";
import { targetUrl } from "../../lib/sharding/match.ts";
import type { SinkEntry } from "../../lib/sharding/sink-rules.ts";
import { createRest, type Rest } from "../outbound/circuit-breaker.ts";

export interface Target {
  /** Of its queue and in the metrics; tells no token. */
  readonly name: string;
  /** `http://host:port`. */
  readonly origin: string;
  readonly token: string;
  /** What it refuses is kept as a dead letter. Not so for clients that brought their own token: they are told. */
  readonly buries: boolean;
  readonly rest: Rest;
  /** With the token in place of that of `query`, and the path of the target before `path`. */
  urlOf(path: string, query: string): string;
}

export interface Targets {
  of(entry: SinkEntry): Target;
  direct(token: string): Target;
  /** The rest of the queue with this name; undefined when nothing was sent there since the start. */
  restOf(name: string): Rest | undefined;
}

/** The end of a queue's name. */
export const queueNamePattern = /-[0-9a-f]{8}$/;

export function createTargets(remoteHost: string): Targets {
  /** By URL, so that a target outlives the rules it stands in. */
  const known = new Map<string, Target>();
  const rests = new Map<string, Rest>();
  const restOf = (name: string): Rest => {
    let rest = rests.get(name);
    if (rest === undefined) rests.set(name, (rest = createRest()));
    return rest;
  };
  return {
    restOf: (name) => rests.get(name),
    of: (entry) => {
      let target = known.get(entry.url);
      if (target === undefined) {
        const name = nameOf(entry.url, entry.url);
        const { origin } = new URL(entry.url);
        target = { name, origin, token: entry.token, buries: true, rest: restOf(name), urlOf: urlOf(entry.url) };
        known.set(entry.url, target);
      }
      return target;
    },
    direct: (token) => {
      const url = new URL(remoteHost);
      // One queue for all clients: a token of a client makes no folder.
      const name = nameOf(`direct ${remoteHost}`, remoteHost);
      url.searchParams.set("token", token);
      return { name, origin: url.origin, token, buries: false, rest: restOf(name), urlOf: urlOf(url.href) };
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
