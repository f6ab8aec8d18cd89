// Asynchronous queries. Such a query continues after its HTTP request was answered
// (docs/reference/query.md#requests). Its result is kept for a while, so that the client can fetch it later.

import { randomUUID } from "node:crypto";

interface Held<Outcome> {
  readonly workspace: string;
  readonly outcome: Promise<Outcome>;
}

/** Time in milliseconds for which the result of an asynchronous query is kept. */
const keptMs = 60_000;
/**
 * Maximum number of registered asynchronous queries, counting running queries and finished queries whose results
 * are kept.
 */
const most = 200;

export class AsyncQueries<Outcome> {
  private readonly held = new Map<string, Held<Outcome>>();
  private readonly keptMs: number;

  constructor(options: { readonly keptMs?: number } = {}) {
    this.keptMs = options.keptMs ?? keptMs;
  }

  /**
   * Registers a running query and returns the id by which its answer can be fetched. Returns null when too many queries
   * are registered.
   */
  hold(workspace: string, outcome: Promise<Outcome>): string | null {
    if (this.held.size >= most) return null;
    const id = randomUUID();
    this.held.set(id, { workspace, outcome });
    const forget = () => setTimeout(() => this.held.delete(id), this.keptMs).unref();
    outcome.then(forget, forget);
    return id;
  }

  /**
   * Returns the outcome of an asynchronous query, or undefined when the id is unknown. The id of a query of
   * another workspace counts as unknown.
   */
  find(workspace: string, id: string): Promise<Outcome> | undefined {
    const held = this.held.get(id);
    return held?.workspace === workspace ? held.outcome : undefined;
  }
}
