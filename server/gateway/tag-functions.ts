// The user's functions that generate X-Global-Tags, by id (docs/reference/gateway.md#rules-for-tags). The id
// `{set}__{script}.{function}` means the exported function of `<folder>/{set}__{script}.mjs` (or .js). The functions
// run in a thread of their own, with limits of time and memory. When a function exceeds a limit, its thread is ended;
// its point is sent without the header, but not lost.

import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { functionIdParts, type TagFunction } from "../../lib/sharding/index.ts";

export interface TagCall {
  readonly number: number;
  readonly url: string;
  readonly name: string;
  readonly args: readonly unknown[];
}

export type TagCallResult =
  | { readonly number: number; readonly started: true }
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: string };

export interface TagFunctions {
  /** Returns the function with this id; undefined when there is no such file. */
  of(id: string): TagFunction | undefined;
  close(): Promise<void>;
}

export interface TagFunctionsOptions {
  readonly folder: string;
  /** Longest duration of one call. */
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

interface Waiting {
  readonly call: TagCall;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Number of threads that may end in a row before no function is called for a while. */
const endedInARow = 3;
const restMs = 10_000;
/** Longest time for starting a thread and loading a module, which do not count as time of the function. */
const loadingMs = 5_000;

export function openTagFunctions({ folder, timeoutMs, memoryMb }: TagFunctionsOptions): TagFunctions {
  let worker: Worker | undefined;
  let number = 0;
  let ended = 0;
  let restsUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Calls in the order in which the thread takes them. The first one is running. */
  const waiting = new Map<number, Waiting>();

  const unwatch = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };

  const watch = (ms: number): void => {
    unwatch();
    const late = () => fail(worker, `took longer than ${timeoutMs} ms`);
    // This thread may have been busy: handle the messages that came in the meantime before the function is blamed.
    const over: NodeJS.Timeout = setTimeout(() => setImmediate(() => timer === over && late()), ms);
    timer = over;
  };

  const thread = (): Worker => {
    if (worker !== undefined) return worker;
    const started = new Worker(new URL(`./tag-worker${path.extname(import.meta.url)}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: Math.ceil(memoryMb / 4) },
      // The functions get neither the secrets of the environment nor the standard input.
      env: {},
      stdin: false,
    });
    started.on("message", (result: TagCallResult) => started === worker && settle(result));
    started.on("error", (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      fail(started, isMemory ? `took more than ${memoryMb} MiB` : error.message);
    });
    started.on("exit", () => fail(started, "ended its thread"));
    worker = started;
    return started;
  };

  const send = (call: TagCall): void => {
    thread().postMessage(call);
    if (call.number === waiting.keys().next().value) watch(loadingMs);
  };

  const settle = (result: TagCallResult): void => {
    if ("started" in result) {
      watch(timeoutMs);
      return;
    }
    const found = waiting.get(result.number);
    waiting.delete(result.number);
    unwatch();
    if (waiting.size > 0) watch(loadingMs);
    ended = 0;
    if ("error" in result) found?.reject(new Error(result.error));
    else found?.resolve(result.value);
  };

  /**
   * Ends the thread and rejects the running call. Sends the other calls to a new thread, or rejects them too when too
   * many threads ended in a row.
   */
  const fail = (from: Worker | undefined, reason: string): void => {
    if (from === undefined || from !== worker) return;
    worker = undefined;
    unwatch();
    void from.terminate();
    const [first, ...others] = waiting.values();
    if (first === undefined) return;
    waiting.delete(first.call.number);
    first.reject(new Error(reason));
    if (++ended < endedInARow) {
      for (const { call } of others) send(call);
      return;
    }
    ended = 0;
    restsUntil = performance.now() + restMs;
    waiting.clear();
    for (const { reject } of others) reject(new Error(`is left alone for ${restMs / 1000} s: ${reason}`));
  };

  return {
    of: (id) => {
      const parts = functionIdParts(id);
      const base = path.join(folder, `${parts.set}__${parts.script}`);
      const file = [`${base}.mjs`, `${base}.js`].find((each) => existsSync(each));
      if (file === undefined) return undefined;
      const url = pathToFileURL(file);
      // A changed file gets another URL, so that it is loaded again.
      url.search = `?changed=${statSync(file).mtimeMs}`;
      return (...args) =>
        new Promise((resolve, reject) => {
          if (performance.now() < restsUntil) return reject(new Error(`is left alone for ${restMs / 1000} s`));
          const call: TagCall = { number: ++number, url: url.href, name: parts.name, args };
          waiting.set(call.number, { call, resolve, reject });
          send(call);
        });
    },
    close: async () => {
      unwatch();
      const last = worker;
      worker = undefined;
      for (const { reject } of waiting.values()) reject(new Error("the gateway ends"));
      waiting.clear();
      await last?.terminate();
    },
  };
}
