// The type of a route of the gateway: each file of this folder exports routes, whose handlers get a `Call`.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway.ts";

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The path for metrics and logs: a pattern in place of parts that a client may invent and of secrets. */
  readonly api: string;
  /** The query as sent, without the question mark. */
  readonly query: string;
  /** Token of the query or of the header X-Token; empty when there is none. */
  readonly token: string;
  /** X-Global-Tags; undefined when the request has none. */
  readonly globalTags: string | undefined;
  /** Number of gateways that the request came through. */
  readonly hops: number;
}

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  /** Whether anybody may call it: neither the allow list nor the rate limit applies. */
  readonly isOpen?: boolean;
  /** Whether only clients of this machine may call it, and those that the configuration admits. */
  readonly isLocal?: boolean;
  readonly handle: (gateway: Gateway, call: Call) => Promise<FastifyReply>;
}
