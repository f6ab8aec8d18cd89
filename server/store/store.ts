// Starts the worker thread that holds the points store, restarts it when it ends unexpectedly, and sends jobs to it.

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
  /**
   * Sends a job to the worker thread. When `signal` aborts, the thread stops the query of this job, and the answer
   * is a refusal. While the thread restarts, the answer to every job is the refusal `storeFailed`; the caller may
   * then send the job again. Rejects after `close`.
   */
  ask(job: StoreJob, signal?: AbortSignal): Promise<StoreAnswer>;
  /** Returns why the store does not work at the moment, or undefined while it works. */
  failure(): string | undefined;
  close(): Promise<void>;
}

/**
 * Milliseconds to wait before the worker thread is restarted after it ended. The time doubles with each failed start.
 */
const firstRestartMs = 500;
const longestRestartMs = 30_000;

/**
 * Opens the store. `onEvent` receives the events that the worker thread reports on its own. `startThread` starts the
 * thread, and starts it again after it has ended. Rejects when the first start fails.
 */
export async function openStore(
  start: StoreStart,
  onEvent: (event: StoreEvent) => void = () => {},
  startThread: StartThread = startWorker,
): Promise<PointsStore> {
  let problem: string | undefined;
  let thread: StoreThread | undefined;
  let restart: NodeJS.Timeout | undefined;
  let starting: Promise<void> | undefined;
  let isClosed = false;
  const noteEvent = (event: StoreEvent) => {
    if (event.kind === "problem") problem = event.reason ?? undefined;
    onEvent(event);
  };
  const begin = async (): Promise<void> => {
    const before = problem;
    const begun = await startThread(start, noteEvent, (error) => {
      if (begun !== thread) return;
      thread = undefined;
      noteEvent({ kind: "problem", reason: error.message });
      if (!isClosed) restartAfter(firstRestartMs);
    });
    thread = begun;
    // The new thread works, so a problem that the ended thread had reported is over. A problem that the new thread
    // itself has already reported, such as a full disk, remains.
    if (before !== undefined && problem === before) noteEvent({ kind: "problem", reason: null });
  };
  const restartAfter = (ms: number): void => {
    restart = setTimeout(() => {
      starting = begin().catch((error: Error) => {
        problem = error.message;
        if (!isClosed) restartAfter(Math.min(2 * ms, longestRestartMs));
      });
    }, ms);
  };
  await begin();
  return {
    ask: async (job, signal) => {
      if (isClosed) throw new Error("the points store is closed");
      return await (thread?.ask(job, signal) ?? refusal(problem ?? "the points store starts"));
    },
    failure: () => problem,
    close: async () => {
      isClosed = true;
      clearTimeout(restart);
      await starting;
      await thread?.close();
    },
  };
}

export interface StoreThread {
  ask(job: StoreJob, signal?: AbortSignal): Promise<StoreAnswer>;
  close(): Promise<void>;
}

/**
 * Starts the worker thread; resolves when the thread has opened the store. `ended` is called when the thread ends
 * unexpectedly after that.
 */
export type StartThread = (
  start: StoreStart,
  onEvent: (event: StoreEvent) => void,
  ended: (error: Error) => void,
) => Promise<StoreThread>;

async function startWorker(
  start: StoreStart,
  onEvent: (event: StoreEvent) => void,
  ended: (error: Error) => void,
): Promise<StoreThread> {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { workerData: start });
  const waiting = new Map<number, (answer: StoreAnswer) => void>();
  let last = 0;
  let dead: Error | undefined;
  const opened = new Promise<void>((resolve, reject) => {
    waiting.set(0, () => resolve());
    const fail = (error: Error) => {
      if (dead !== undefined) return;
      dead = error;
      reject(error);
      if (waiting.delete(0)) return;
      for (const resolve of waiting.values()) resolve(refusal(error.message));
      waiting.clear();
      ended(error);
    };
    worker.on("error", fail);
    worker.on("exit", (code) => fail(new Error(`the points store ended with ${code}`)));
  });
  worker.on("message", ({ id, content }: Numbered<StoreAnswer | StoreEvent>) => {
    if (isEvent(content, id)) return onEvent(content);
    waiting.get(id)?.(content);
    waiting.delete(id);
  });
  const send = (content: StoreJob | { readonly kind: "close" }, signal?: AbortSignal): Promise<StoreAnswer> =>
    new Promise((resolve) => {
      if (dead !== undefined) return resolve(refusal(dead.message));
      const id = ++last;
      const post = (request: Numbered<StoreRequest>, owned: ArrayBuffer[] = []) => worker.postMessage(request, owned);
      const cancel = () => post({ id: 0, content: { kind: "cancel", job: id } });
      waiting.set(id, (answer) => {
        signal?.removeEventListener("abort", cancel);
        resolve(answer);
      });
      // A body that fills its whole ArrayBuffer is transferred to the worker thread without copying. A body that is a
      // part of a larger buffer is copied.
      const owns = "body" in content && content.body.byteLength === content.body.buffer.byteLength;
      post({ id, content }, owns ? [content.body.buffer as ArrayBuffer] : []);
      if (signal?.aborted) cancel();
      else signal?.addEventListener("abort", cancel, { once: true });
    });
  await opened;
  return {
    ask: send,
    close: async () => {
      await send({ kind: "close" });
      dead ??= new Error("the points store is closed");
      await worker.terminate();
    },
  };
}

function refusal(message: string): StoreAnswer {
  return { kind: "refused", reason: "storeFailed", message };
}

function isEvent(_content: StoreAnswer | StoreEvent, id: number): _content is StoreEvent {
  return id === eventId;
}
