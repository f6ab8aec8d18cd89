// Calls functions that the user has written and that generate the header X-Global-Tags
// (docs/reference/gateway.md#rules-for-tags). The id `{set}__{script}.{function}` names an exported function of
// the file `<folder>/{set}__{script}.mjs` (or .js). The functions run in a worker thread with limits of time and
// memory. When a function exceeds a limit, its worker thread is ended, and the point for which the function was
// called is sent without the header. So the point is not lost.

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
  /** Returns the function with the given id; undefined when its file does not exist. */
  of(id: string): TagFunction | undefined;
  close(): Promise<void>;
}

export interface TagFunctionsOptions {
  readonly folder: string;
  /** Maximum duration in ms of one call of a user's function. */
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

interface Waiting {
  readonly call: TagCall;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * After `endedInARow` worker threads in a row have ended without a result of any function, no function is called
 * for `breakMs` milliseconds.
 */
const endedInARow = 3;
const breakMs = 10_000;
/**
 * Maximum time in ms for starting a worker thread and loading the user's module. This time does not count
 * against `timeoutMs`, the time limit of a call.
 */
const loadingMs = 5_000;

export function openTagFunctions(options: TagFunctionsOptions): TagFunctions {
  const thread = new TagThread(options);
  return {
    of: (id) => {
      const { set, script, name } = functionIdParts(id);
      const url = moduleUrl(path.join(options.folder, `${set}__${script}`));
      return url === undefined ? undefined : (...args) => thread.call(url, name, args);
    },
    close: () => thread.close(),
  };
}

/** Returns the URL of the module `<base>.mjs` or `<base>.js`; undefined when there is no such file. */
function moduleUrl(base: string): string | undefined {
  const file = [`${base}.mjs`, `${base}.js`].find((each) => existsSync(each));
  if (file === undefined) return undefined;
  const url = pathToFileURL(file);
  // The URL includes the time of the file's last change, because Node loads a changed module again only if its URL
  // is different.
  url.search = `?changed=${statSync(file).mtimeMs}`;
  return url.href;
}

/** The worker thread that runs the users' tag functions. When no thread is running, the next call starts one. */
class TagThread {
  private readonly options: TagFunctionsOptions;
  private worker: Worker | undefined;
  /** The calls of users' functions, in the order in which the worker thread runs them. The first one is running. */
  private readonly waiting = new Map<number, Waiting>();
  /**
   * The number of the latest call of a function. Calls are numbered in order, so that each result can be matched with
   * its call.
   */
  private number = 0;
  /** The number of worker threads that have ended since the last call that returned a result. */
  private ended = 0;
  private brokenUntil = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: TagFunctionsOptions) {
    this.options = options;
  }

  /**
   * Calls a function of the user's module. Rejects when the function throws or exceeds a limit, and while calls are
   * suspended after several failures.
   */
  call(url: string, name: string, args: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (performance.now() < this.brokenUntil) return reject(new Error(`is left alone for ${breakMs / 1000} s`));
      const call: TagCall = { number: ++this.number, url, name, args };
      this.waiting.set(call.number, { call, resolve, reject });
      this.send(call);
    });
  }

  async close(): Promise<void> {
    this.unwatch();
    const last = this.worker;
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(new Error("the gateway ends"));
    this.waiting.clear();
    await last?.terminate();
  }

  private send(call: TagCall): void {
    this.worker ??= this.start();
    this.worker.postMessage(call);
    if (call.number === this.waiting.keys().next().value) this.watch(loadingMs);
  }

  private start(): Worker {
    const { memoryMb } = this.options;
    const started = new Worker(new URL(`./tag-worker${path.extname(import.meta.url)}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: Math.ceil(memoryMb / 4) },
      // The worker thread does not get the environment variables, because they may contain secrets. It does not get the
      // standard input either.
      env: {},
      stdin: false,
    });
    started.on("message", (result: TagCallResult) => started === this.worker && this.receive(result));
    started.on("error", (error: NodeJS.ErrnoException) => {
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      this.fail(started, isMemory ? `took more than ${memoryMb} MiB` : error.message);
    });
    started.on("exit", () => this.fail(started, "ended its thread"));
    return started;
  }

  private receive(result: TagCallResult): void {
    if ("started" in result) {
      this.watch(this.options.timeoutMs);
      return;
    }
    const found = this.waiting.get(result.number);
    this.waiting.delete(result.number);
    this.unwatch();
    if (this.waiting.size > 0) this.watch(loadingMs);
    this.ended = 0;
    if ("error" in result) found?.reject(new Error(result.error));
    else found?.resolve(result.value);
  }

  /**
   * Ends the worker thread and rejects the running call. Sends the waiting calls to a new worker thread, or rejects
   * them when `endedInARow` threads have ended one after the other.
   */
  private fail(from: Worker | undefined, reason: string): void {
    if (from === undefined || from !== this.worker) return;
    this.worker = undefined;
    this.unwatch();
    void from.terminate();
    const [first, ...others] = this.waiting.values();
    if (first === undefined) return;
    this.waiting.delete(first.call.number);
    first.reject(new Error(reason));
    if (++this.ended < endedInARow) {
      for (const { call } of others) this.send(call);
      return;
    }
    this.ended = 0;
    this.brokenUntil = performance.now() + breakMs;
    this.waiting.clear();
    for (const { reject } of others) reject(new Error(`is left alone for ${breakMs / 1000} s: ${reason}`));
  }

  /** Ends the worker thread and rejects the running call if no message comes from the thread for `ms` milliseconds. */
  private watch(ms: number): void {
    this.unwatch();
    const late = () => this.fail(this.worker, `took longer than ${this.options.timeoutMs} ms`);
    // While the main thread was busy, a result of the worker thread may have arrived that the main thread has not
    // read yet. So the main thread reads all waiting messages before it decides that the function is too slow.
    const over: NodeJS.Timeout = setTimeout(() => setImmediate(() => this.timer === over && late()), ms);
    this.timer = over;
  }

  private unwatch(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
