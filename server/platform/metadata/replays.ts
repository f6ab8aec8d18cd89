// First answers to requests with the header `Idempotency-Key` (docs/reference/open-api.md#a-change-that-is-sent-twice). An answer is kept for 24
// hours for each API key, and is sent again when the same request comes again. The first request does the work; an
// equal request that arrives meanwhile waits for its answer.

import type { MetadataStore } from "./store.ts";

export interface ReplayQuestion {
  /** The uuid of the API key. */
  readonly actor: string;
  /** The value of the header. */
  readonly name: string;
  /** A digest of method, path, If-Match and body, which identifies the request. */
  readonly request: string;
}

export interface Replayed {
  readonly status: number;
  readonly answer: string;
  /** The header ETag of the answer; "" when it has none. */
  readonly etag: string;
}

export interface Replays {
  /**
   * Returns the first answer, or calls `work` and keeps its result as the first answer. When `work` throws, nothing
   * is kept. Throws AnotherRequest and StillWorking.
   */
  once(question: ReplayQuestion, work: () => Promise<Replayed>): Promise<Replayed & { readonly isReplay: boolean }>;
}

/** An error: another request was sent with this name before. */
export class AnotherRequest extends Error {}

/** An error: the first request has not been answered yet. */
export class StillWorking extends Error {}

const keptMs = 24 * 3_600_000;
const forgetEveryMs = 60_000;
/** A request that has been worked on for longer than this (ms) counts as abandoned: its process has ended. */
const abandonedMs = 120_000;
const waitMs = 10_000;
const lookAgainMs = 50;

export function replaysOf(store: MetadataStore, nowMs: () => number): Replays {
  let forgottenAt = 0;

  /** Claims the name and returns the id of its row, or undefined when the name is taken. */
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
        // The other request has given the name up meanwhile.
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
