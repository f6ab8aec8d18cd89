// The declaration of a route, and the data that its handler gets.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config/schema.ts";
import type { Agent } from "../agent.ts";

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The query parameters. When a parameter is repeated, the first one counts. */
  readonly query: URLSearchParams;
  readonly contentType: string;
  /** Aborted when the request is answered 408 or the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * Marks the point from which data of the request may be stored. Returns false when the request was already answered
   * 408; nothing may then be stored.
   */
  keep(): boolean;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  /** Returns whether the configuration enables the route. When absent, the route is always enabled. */
  readonly isOn?: (config: Config) => boolean;
  readonly handle: (agent: Agent, call: Call) => Promise<FastifyReply>;
}
