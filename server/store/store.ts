// The points store as the services use it: its thread, and what may be asked of it.

import { Worker } from "node:worker_threads";
import {
  eventId,
  type Numbered,
  type StoreAnswer,
  type StoreEvent,
  type StoreJob,
  type StoreRequest,
  type StoreStart,
} from "./protocol.ts";

export interface PointsStore {
  /** Rejects when the thread has died. A query ends, refused, when `signal` says that nobody waits for it. */
  ask(job: StoreJob, signal?: AbortSignal): Promise<StoreAnswer>;
  /** Why nothing can be asked or stored at the moment; undefined while the store works. */
  failure(): string | undefined;
  close(): Promise<void>;
}

/** `tell` gets what the thread says without being asked. */
export async function openStore(start: StoreStart, tell: (event: StoreEvent) => void = () => {}): Promise<PointsStore> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: start });
  const waiting = new Map<number, { resolve(answer: StoreAnswer): void; reject(error: Error): void }>();
  let last = 0;
  let dead: Error | undefined;
  let problem: string | undefined;
  const fail = (error: Error) => {
    dead ??= error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const ready = new Promise<StoreAnswer>((resolve, reject) => waiting.set(0, { resolve, reject }));
  worker.on("message", ({ id, content }: Numbered<StoreAnswer | StoreEvent>) => {
    if (isEvent(content, id)) {
      if (content.kind === "problem") problem = content.reason ?? undefined;
      tell(content);
      return;
    }
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
    failure: () => dead?.message ?? problem,
    close: async () => {
      if (dead === undefined) await send({ kind: "close" }).catch(() => {});
      await worker.terminate();
    },
  };
}

function isEvent(_content: StoreAnswer | StoreEvent, id: number): _content is StoreEvent {
  return id === eventId;
}
