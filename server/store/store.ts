// The points store as the services use it: its thread, and what may be asked of it.

import { Worker } from "node:worker_threads";
import type { Numbered, StoreAnswer, StoreJob, StoreStart } from "./protocol.ts";

export interface PointsStore {
  /** Rejects when the thread has died. */
  ask(job: StoreJob): Promise<StoreAnswer>;
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
  const send = (content: StoreJob | { readonly kind: "close" }): Promise<StoreAnswer> =>
    new Promise((resolve, reject) => {
      if (dead !== undefined) return reject(dead);
      const id = ++last;
      waiting.set(id, { resolve, reject });
      // A whole buffer changes its owner; a part of one is copied.
      const owns = "body" in content && content.body.byteLength === content.body.buffer.byteLength;
      worker.postMessage({ id, content }, owns ? [content.body.buffer as ArrayBuffer] : []);
    });
  await ready;
  return {
    ask: send,
    close: async () => {
      if (dead === undefined) await send({ kind: "close" }).catch(() => {});
      await worker.terminate();
    },
  };
}
