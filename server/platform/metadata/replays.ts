// Stores the answers to requests with the header `Idempotency-Key`
// (docs/reference/open-api.md#a-change-that-is-sent-twice). The first answer is stored for 24 hours, for each
// API key separately, and it is sent again when a client repeats the request. Only the first request does the
// work; an equal request that arrives during this work waits for its answer.

import type { MetadataStore } from "./store.ts";

export interface ReplayQuestion {
  /** The uuid of the API key that sent the request. */
  readonly actor: string;
  /** The value of the header `Idempotency-Key`. */
  readonly name: string;
  /**
   * A digest of the method, the path, the header If-Match and the body. Requests with equal digests count as
   * equal.
   */
  readonly request: string;
}

export interface Replayed {
  readonly status: number;
  readonly answer: string;
  /** The ETag header of the stored answer; "" when the answer has none. */
  readonly etag: string;
}

export interface Replays {
  /**
   * Returns the stored answer of an earlier equal request; if there is none, calls `work` and stores its result.
   * Stores nothing if `work` throws. Throws AnotherRequest when a different request has used the same
   * Idempotency-Key. Throws StillWorking when the first request with this Idempotency-Key has no answer yet after
   * some time of waiting.
   */
  once(question: ReplayQuestion, work: () => Promise<Replayed>): Promise<Replayed & { readonly isReplay: boolean }>;
}

/** Thrown when a different request was already sent with the same `Idempotency-Key`. */
export class AnotherRequest extends Error {}

/** Thrown when the first request with the same `Idempotency-Key` has not been answered yet. */
export class StillWorking extends Error {}

const keptMs = 24 * 3_600_000;
const forgetEveryMs = 60_000;
/**
 * Time in milliseconds after which a request without an answer counts as abandoned. The process that handled the
 * request has then probably ended.
 */
const abandonedMs = 120_000;
const waitMs = 10_000;
const lookAgainMs = 50;

export function replaysOf(store: MetadataStore, nowMs: () => number): Replays {
  let forgottenAt = 0;

  /**
   * Tries to reserve the `Idempotency-Key`. Returns the id of the new row, or undefined when another request has
   * already reserved the key.
   */
  const claim = async ({ actor, name, request }: ReplayQuestion): Promise<number | undefined> => {
    if (nowMs() - forgottenAt >= forgetEveryMs) {
      forgottenAt = nowMs();
      await store.forget("replays", forgottenAt - keptMs);
    }
    const row = { at: nowMs(), actor, name, request, status: 0, answer: "", etag: "" };
    const written = await store.write([{ insert: "replays", rows: [row] }]);
    return written.done ? written.ids[0]![0] : undefined;
  };

  const first = async (id: number, work: () => Promise<Replayed>) => {
    try {
      const done = await work();
      await store.write([{ update: "replays", set: { ...done }, where: { id } }]);
      return { ...done, isReplay: false };
    } catch (error) {
      await store.write([{ delete: "replays", where: { id } }]);
      throw error;
    }
  };

  return {
    once: async (question, work) => {
      const { actor, name, request } = question;
      for (let waited = 0; ; waited += lookAgainMs) {
        const id = await claim(question);
        if (id !== undefined) return await first(id, work);
        const [known] = await store.find("replays", { actor, name });
        // The row is gone: another request with the same `Idempotency-Key` has failed and released the key. So this
        // request tries again to reserve the key.
        if (known === undefined) continue;
        if (known.request !== request) throw new AnotherRequest();
        const { status, answer, etag } = known;
        if (status !== 0) return { status, answer, etag, isReplay: true };
        if (known.at < nowMs() - abandonedMs) {
          await store.write([{ delete: "replays", where: { id: known.id, status: 0 } }]);
          continue;
        }
        if (waited >= waitMs) throw new StillWorking();
        await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
      }
    },
  };
}
