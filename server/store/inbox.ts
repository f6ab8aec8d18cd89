// Requests to the store's thread: each begun in its order, all under way at the same time; what ends one is heard also while others work.

import type { Numbered, RefusalReason, StoreAnswer, StoreJob, StoreRequest } from "./protocol.ts";

export interface InboxOptions {
  /** The next request that arrived and was not taken yet. */
  readonly next: () => Numbered<StoreRequest> | undefined;
  /** Does a job; ends early when told to. */
  readonly answer: (job: StoreJob, end: AbortController) => Promise<StoreAnswer>;
  readonly send: (answer: Numbered<StoreAnswer>) => void;
  /** When nothing is under way any more. */
  readonly close: () => Promise<void>;
}

const closes = "the store closes";

/** Why a job was ended. */
export class Ended extends Error {
  readonly refusal: RefusalReason;

  constructor(refusal: RefusalReason, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

export class Inbox {
  private readonly options: InboxOptions;
  /** Jobs under way, by their number. */
  private readonly ends = new Map<number, AbortController>();
  private readonly underWay = new Set<Promise<void>>();
  private isClosing = false;

  constructor(options: InboxOptions) {
    this.options = options;
  }

  /** Resolves when all is done that the request asks for. */
  async take({ id, content }: Numbered<StoreRequest>): Promise<void> {
    if (content.kind === "cancel") {
      this.ends.get(content.job)?.abort(new Ended("queryCancelled", "nobody waits for the answer any more"));
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

  /** In the middle of a job: what ends it has to be heard at once; all else is taken when the job lets go, in its order. */
  hear(): void {
    for (;;) {
      const request = this.options.next();
      if (request === undefined) return;
      const { content } = request;
      // A job that was heard and not begun yet has to be begun before it is ended.
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
    for (const end of this.ends.values()) end.abort(new Ended("queryCancelled", closes));
  }
}
