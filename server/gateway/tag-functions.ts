// Calls functions supplied by the user that generate the header X-Global-Tags
// (docs/reference/gateway.md#rules-for-tags). The id `{set}__{script}.{function}` means the exported function of
// `<folder>/{set}__{script}.mjs` (or .js). The functions run in a worker thread with limits of time and memory. When a
// function exceeds a limit, its worker thread is ended; the point is then sent without the header, so it is not lost.

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
  /** Returns the function with this id; undefined when its file does not exist. */
  of(id: string): TagFunction | undefined;
  close(): Promise<void>;
}

export interface TagFunctionsOptions {
  readonly folder: string;
  /** Maximum duration of one call of a function in ms. */
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

interface Waiting {
  readonly call: TagCall;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Number of worker threads that may be ended in a row. After that, no function is called for a while. */
const endedInARow = 3;
const breakMs = 10_000;
/**
 * Maximum time in ms for starting a worker thread and loading the user's module. This time does not count as time of
 * the function.
 */
const loadingMs = 5_000;

export function openTagFunctions({ folder, timeoutMs, memoryMb }: TagFunctionsOptions): TagFunctions {
  let worker: Worker | undefined;
  let number = 0;
  let ended = 0;
  let brokenUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  /** The calls in the order in which the worker thread runs them. The first one is running. */
  const waiting = new Map<number, Waiting>();

  const unwatch = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };

  const watch = (ms: number): void => {
    unwatch();
    const late = () => fail(worker, `took longer than ${timeoutMs} ms`);
    // The main thread may have been busy and has not read the worker's result yet. So waiting messages are handled
    // before the function is treated as too slow.
    const over: NodeJS.Timeout = setTimeout(() => setImmediate(() => timer === over && late()), ms);
    timer = over;
  };

  const thread = (): Worker => {
    if (worker !== undefined) return worker;
    const started = new Worker(new URL(`./tag-worker${path.extname(import.meta.url)}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: Math.ceil(memoryMb / 4) },
      // The worker thread gets neither the environment variables, which may contain secrets, nor the standard input.
      env: {},
      stdin: false,
    });
    started.on("message", (result: TagCallResult) => started === worker && receive(result));
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

  const receive = (result: TagCallResult): void => {
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
   * Ends the worker thread and rejects the running call. The waiting calls are sent to a new worker thread, or rejected
   * when too many threads were ended in a row.
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
    brokenUntil = performance.now() + breakMs;
    waiting.clear();
    for (const { reject } of others) reject(new Error(`is left alone for ${breakMs / 1000} s: ${reason}`));
  };

  return {
    of: (id) => {
      const parts = functionIdParts(id);
      const base = path.join(folder, `${parts.set}__${parts.script}`);
      const file = [`${base}.mjs`, `${base}.js`].find((each) => existsSync(each));
      if (file === undefined) return undefined;
      const url = pathToFileURL(file);
      // The URL contains the time of the file's last change, because Node loads a module again only under another URL.
      url.search = `?changed=${statSync(file).mtimeMs}`;
      return (...args) =>
        new Promise((resolve, reject) => {
          if (performance.now() < brokenUntil) return reject(new Error(`is left alone for ${breakMs / 1000} s`));
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
