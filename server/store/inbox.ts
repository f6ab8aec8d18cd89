// Schedules the requests to the store's worker thread. Jobs start in the order of their arrival and run concurrently.
// Requests to cancel a job are also read while jobs run.

import type { Numbered, RefusalReason, StoreAnswer, StoreJob, StoreRequest } from "./protocol.ts";

export interface InboxOptions {
  /** Returns the next request that has arrived, or undefined when there is none. */
  readonly next: () => Numbered<StoreRequest> | undefined;
  /** Performs a job. The job ends early when the signal `end` aborts. */
  readonly answer: (job: StoreJob, end: AbortController) => Promise<StoreAnswer>;
  readonly send: (answer: Numbered<StoreAnswer>) => void;
  /** Called after a request to close the store, as soon as no job runs any more. */
  readonly close: () => Promise<void>;
}

const closes = "the store closes";

/** Thrown when a job was stopped, because it was cancelled or the store closes. */
export class JobEnded extends Error {
  readonly refusal: RefusalReason;

  constructor(refusal: RefusalReason, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

export class Inbox {
  private readonly options: InboxOptions;
  /** The abort controllers of running jobs, by the number of the job's request. */
  private readonly ends = new Map<number, AbortController>();
  private readonly underWay = new Set<Promise<void>>();
  private isClosing = false;

  constructor(options: InboxOptions) {
    this.options = options;
  }

  /** Handles a request. Resolves when everything that the request asks for is done. */
  async take({ id, content }: Numbered<StoreRequest>): Promise<void> {
    if (content.kind === "cancel") {
      this.ends.get(content.job)?.abort(new JobEnded("queryCancelled", "nobody waits for the answer any more"));
    } else if (content.kind === "close") {
      await this.close();
      this.options.send({ id, content: { kind: "done" } });
    } else if (this.isClosing) {
      this.options.send({ id, content: { kind: "refused", reason: "storeFailed", message: closes } });
    } else {
      const work = this.begin(content, id);
      this.underWay.add(work);
      await work.finally(() => this.underWay.delete(work));
    }
  }

  /**
   * Reads all requests that have arrived while a job runs. A request to cancel a running job takes effect at once.
   * All other requests are handled in order, as soon as the running job lets other code run.
   */
  receive(): void {
    for (;;) {
      const request = this.options.next();
      if (request === undefined) return;
      const { content } = request;
      // A request to cancel a job has no effect before the job has started. So when the job has not started yet, the
      // request to cancel is handled after the request that starts the job.
      if (content.kind === "cancel" && this.ends.has(content.job)) void this.take(request);
      else queueMicrotask(() => void this.take(request));
      if (content.kind === "close") this.endAll();
    }
  }

  private async begin(job: StoreJob, id: number): Promise<void> {
    const end = new AbortController();
    this.ends.set(id, end);
    try {
      this.options.send({ id, content: await this.options.answer(job, end) });
    } finally {
      this.ends.delete(id);
    }
  }

  private async close(): Promise<void> {
    this.isClosing = true;
    this.endAll();
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
    await this.options.close();
  }

  private endAll(): void {
    for (const end of this.ends.values()) end.abort(new JobEnded("queryCancelled", closes));
  }
}
