// The type of a gateway route. Each file of this folder exports routes; their handlers get a `Call`, which describes
// the request.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Gateway } from "../gateway.ts";

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The URL path of the request as sent, without the query string. */
  readonly path: string;
  /**
   * The label of the request in metrics and logs: its path, in which parts that contain secrets or that a client
   * could invent are replaced by a pattern.
   */
  readonly api: string;
  /** The query string as the client sent it, without the question mark. */
  readonly query: string;
  /** The token in the query string or in the header X-Token; empty when the request has none. */
  readonly token: string;
  /** The value of the routing header X-Global-Tags; undefined when the request does not have the header. */
  readonly globalTags: string | undefined;
  /** The number of gateways that the request has passed before this one. */
  readonly hops: number;
}

export interface Route {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  /** Whether any client may call the route. If so, neither the list of allowed addresses nor the rate limit applies. */
  readonly isOpen?: boolean;
  /**
   * Whether the route may be called only by clients on this machine and by other clients that the configuration allows.
   */
  readonly isLocal?: boolean;
  readonly handle: (gateway: Gateway, call: Call) => Promise<FastifyReply>;
}
