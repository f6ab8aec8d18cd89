// The declaration of an HTTP route, and the data that its handler gets.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config/schema.ts";
import type { Agent } from "../agent.ts";

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The URL path as the client sent it, without the query. */
  readonly path: string;
  /** The query parameters. When a parameter occurs several times, its first value counts. */
  readonly query: URLSearchParams;
  readonly contentType: string;
  /** Aborts when the request is answered with the status 408 (timeout) or when the client disconnects. */
  readonly signal: AbortSignal;
  /**
   * Marks that data of the request is about to be stored. Returns false when the request was already answered with the
   * status 408 (timeout); then nothing may be stored.
   */
  keep(): boolean;
}

export interface Route {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  /** Returns whether the configuration enables the route. When absent, the route is always enabled. */
  readonly isOn?: (config: Config) => boolean;
  /**
   * Two routes may have the same method and URL. One of the two routes then has this function. The route with the
   * function answers the requests for which the function returns true; the other route answers all other requests.
   */
  readonly isFor?: (call: Call) => boolean;
  readonly handle: (agent: Agent, call: Call) => Promise<FastifyReply>;
}
