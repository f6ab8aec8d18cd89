// One interface of the gateway: what a file of this folder exports, and what its handler gets.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway.ts";

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The same for metrics and logs: of what a client may invent, and of secrets, only the place. */
  readonly api: string;
  /** As sent, without the question mark. */
  readonly query: string;
  /** Of the query, or of the header X-Token; empty when there is none. */
  readonly token: string;
  /** X-Global-Tags; undefined when the request has none. */
  readonly globalTags: string | undefined;
  /** Gateways that the request came through. */
  readonly hops: number;
}

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  /** Anybody may call it: neither the allow list nor the rate limit holds. */
  readonly isOpen?: boolean;
  /** Only clients of this machine may call it, and those that the configuration admits. */
  readonly isLocal?: boolean;
  readonly handle: (gateway: Gateway, call: Call) => Promise<FastifyReply>;
}
