// One interface of the agent: what a file of this folder exports, and what its handler gets.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config/schema.ts";
import type { Agent } from "../agent.ts";

export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The path as sent, without the query. */
  readonly path: string;
  /** First occurrences count. */
  readonly query: URLSearchParams;
  readonly contentType: string;
  /** Aborted when the request was answered 408 or the client went away. */
  readonly signal: AbortSignal;
  /** Says that what was sent goes to the disk now; false when the request was answered 408, then nothing of it may. */
  keep(): boolean;
}

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  /** Left out: always. */
  readonly isOn?: (config: Config) => boolean;
  readonly handle: (agent: Agent, call: Call) => Promise<FastifyReply>;
}
