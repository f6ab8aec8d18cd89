// First answers to requests with the header `Idempotency-Key` (docs/reference/open-api.md#a-change-that-is-sent-twice): kept 24 hours for
// each API key, and given
// again to the same request. Who sends it first does the work; one that comes meanwhile waits for that answer.

import type { MetadataStore } from "./store.ts";

export interface ReplayQuestion {
  /** The API key. */
  readonly actor: string;
  /** The header's value. */
  readonly name: string;
  /** Tells one request from another: a digest of method, path, If-Match and body. */
  readonly request: string;
}

export interface Replayed {
  readonly status: number;
  readonly answer: string;
  /** "" when the answer has none. */
  readonly etag: string;
}

export interface Replays {
  /**
   * The first answer, or what `work` gives, which is then the first answer; where `work` throws, nothing is kept. Throws
   * AnotherRequest, StillWorking.
   */
  once(question: ReplayQuestion, work: () => Promise<Replayed>): Promise<Replayed & { readonly isReplay: boolean }>;
}

/** The name was sent with another request before. */
export class AnotherRequest extends Error {}

/** The first request has not been answered yet. */
export class StillWorking extends Error {}

const keptMs = 24 * 3_600_000;
const forgetEveryMs = 60_000;
/** One that is worked on for longer has ended with its process. */
const abandonedMs = 120_000;
const waitMs = 10_000;
const lookAgainMs = 50;

export function replaysOf(store: MetadataStore, nowMs: () => number): Replays {
  let forgottenAt = 0;

  /** Takes the name; undefined when it is taken. */
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
        // It has been given up in between.
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
