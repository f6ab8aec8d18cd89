// Questions that go on when their request is answered (query document, section 8.3). Answers are kept for a while after they are there.

import { randomUUID } from "node:crypto";

interface Held<Outcome> {
  readonly workspace: string;
  readonly outcome: Promise<Outcome>;
}

/** Answers are kept so long after they are there. */
const keptMs = 60_000;
/** Questions and answers that are held at once. */
const most = 200;

export class AsyncQueries<Outcome> {
  private readonly held = new Map<string, Held<Outcome>>();
  private readonly keptMs: number;

  constructor(options: { readonly keptMs?: number } = {}) {
    this.keptMs = options.keptMs ?? keptMs;
  }

  /** The id of a question that runs; null when too many are held. */
  hold(workspace: string, outcome: Promise<Outcome>): string | null {
    if (this.held.size >= most) return null;
    const id = randomUUID();
    this.held.set(id, { workspace, outcome });
    const forget = () => setTimeout(() => this.held.delete(id), this.keptMs).unref();
    outcome.then(forget, forget);
    return id;
  }

  /** That of another workspace is unknown, too. */
  find(workspace: string, id: string): Promise<Outcome> | undefined {
    const held = this.held.get(id);
    return held?.workspace === workspace ? held.outcome : undefined;
  }
}
