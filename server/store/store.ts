// The points store as the services use it: its thread, and what may be asked of it.

import { Worker } from "node:worker_threads";
import type { Numbered, StoreAnswer, StoreJob, StoreRequest, StoreStart } from "./protocol.ts";

export interface PointsStore {
  /** Rejects when the thread has died. A query ends, refused, when `signal` says that nobody waits for it. */
  ask(job: StoreJob, signal?: AbortSignal): Promise<StoreAnswer>;
  /** Why nothing can be asked any more; undefined while the thread lives. */
  failure(): string | undefined;
  close(): Promise<void>;
}

export async function openStore(start: StoreStart): Promise<PointsStore> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: start });
  const waiting = new Map<number, { resolve(answer: StoreAnswer): void; reject(error: Error): void }>();
  let last = 0;
  let dead: Error | undefined;
  const fail = (error: Error) => {
    dead ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const ready = new Promise<StoreAnswer>((resolve, reject) => waiting.set(0, { resolve, reject }));
  worker.on("message", ({ id, content }: Numbered<StoreAnswer>) => {
    waiting.get(id)?.resolve(content);
    waiting.delete(id);
  });
  worker.on("error", fail);
  worker.on("exit", (code) => fail(new Error(`the points store ended with ${code}`)));
  const send = (content: StoreJob | { readonly kind: "close" }, signal?: AbortSignal): Promise<StoreAnswer> =>
    new Promise((resolve, reject) => {
      if (dead !== undefined) return reject(dead);
      const id = ++last;
      const post = (request: Numbered<StoreRequest>, owned: ArrayBuffer[] = []) => worker.postMessage(request, owned);
      const cancel = () => post({ id: 0, content: { kind: "cancel", job: id } });
      const ended = () => signal?.removeEventListener("abort", cancel);
      waiting.set(id, {
        resolve: (answer) => {
          ended();
          resolve(answer);
        },
        reject: (error) => {
          ended();
          reject(error);
        },
      });
      // A whole buffer changes its owner; a part of one is copied.
      const owns = "body" in content && content.body.byteLength === content.body.buffer.byteLength;
      post({ id, content }, owns ? [content.body.buffer as ArrayBuffer] : []);
      if (signal?.aborted) cancel();
      else signal?.addEventListener("abort", cancel, { once: true });
    });
  await ready;
  return {
    ask: send,
    failure: () => dead?.message,
    close: async () => {
      if (dead === undefined) await send({ kind: "close" }).catch(() => {});
      await worker.terminate();
    },
  };
}
