// A pool of worker threads. A worker runs one job at a time, and further jobs wait in a queue. When a job reports that
// it waits for something, its worker may run the next job meanwhile.
//
// The pool starts a worker when more jobs wait in the queue than workers are starting. The owner of the pool may also
// start the first worker before there is a job. A worker counts as starting until it has sent a message; until then it
// gets no job. One starting worker is enough when short jobs come one after the other, since running workers take them.
// A worker that has had no job for a while ends, because a worker takes some 40 MB of memory. When a worker dies, only
// its jobs fail, and a new worker replaces it.
//
// The caller of a job may abort the job. A job in the queue is then removed. A running job is ended together with its
// worker. A job that waits for something, such as an HTTP answer, continues.

import { type Transferable, Worker } from "node:worker_threads";

/** Thrown when a worker died during the job, because it had too little memory or because of a programming error. */
export class WorkerCrashed extends Error {}

/** Thrown when the caller aborted the job, or when the pool was closed. */
export class JobAborted extends Error {}

export interface PoolOptions {
  readonly script: URL;
  /** Largest number of worker threads in the pool. */
  readonly size: number;
  /**
   * Number of waiting jobs at which the pool counts as full. Waiting jobs are those in the queue, and those on workers
   * that wait for something, such as an HTTP answer. A full pool still accepts jobs.
   */
  readonly mostWaiting: number;
  /** Returns the data that a new worker gets. Called each time a worker starts. */
  readonly workerData: () => unknown;
  readonly onCrash: (reason: string) => void;
  /**
   * Called with each message from a worker, except messages for the pool itself. Messages for the pool are
   * `{ kind: "answer", id, answer }` and `{ kind: "waiting", id }`.
   */
  readonly onMessage?: (message: { readonly kind: string }) => void;
  /** Largest size of the old generation of each worker's heap, in MiB. */
  readonly heapMb?: number;
  /** Says how long workers without jobs stay; absent = they never end. */
  readonly idle?: IdleOptions;
}

/** Says how long a worker without jobs stays before it ends. The next job that needs a worker starts one again. */
export interface IdleOptions {
  /** Milliseconds without a job after which a worker ends while another worker runs. */
  readonly surplusMs: number;
  /** Milliseconds without a job after which the only worker that runs ends. */
  readonly lastMs: number;
  /**
   * Returns whether a worker can end now without losing data that later jobs need. A job may have a key, called its
   * pin. All jobs with the same pin run on the same worker, so this worker can keep data for them. `isPinned(pin)`
   * returns whether the jobs with this pin run on the worker that is about to end.
   */
  mayEnd(isPinned: (pin: string) => boolean): boolean;
}

interface Task {
  readonly id: number;
  readonly job: unknown;
  readonly transfer: readonly Transferable[];
  /**
   * Index of the slot (position of a worker in the pool) in which the job must run; undefined = the job may run in any
   * slot.
   */
  readonly slot: number | undefined;
  readonly done: (answer: unknown) => void;
  readonly failed: (error: Error) => void;
}

interface Slot {
  /** The worker of this slot (position in the pool); undefined until a worker is needed. */
  worker: Worker | undefined;
  /** Whether the worker has sent its first message, so that it can get jobs. */
  hasStarted: boolean;
  task: Task | undefined;
  /**
   * The worker's jobs, by id, that have reported that they wait, for example for an HTTP answer. While they wait, the
   * worker can run other jobs.
   */
  waiting: Map<number, Task>;
  /**
   * Number of workers of this slot (position in the pool) that have ended, one after the other, without answering a
   * job.
   */
  failures: number;
  /** Time, as `performance.now` returns it, at which the worker last got a message or answered a job. */
  usedAt: number;
}

/**
 * Largest size of the young generation of each worker's heap, in MiB. By default V8 lets the young generation grow to
 * 48 MiB, and a worker keeps most of this memory. The smaller size set here does not make writes slower.
 */
const youngMb = 12;
/** Milliseconds between two searches for workers that have no jobs. */
const idleCheckMs = 1000;

export class Pool<Job, Answer> {
  private readonly options: PoolOptions;
  private readonly slots: Slot[] = [];
  private queue: Task[] = [];
  private closed = false;
  private count = 0;
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions) {
    this.options = options;
    for (let at = 0; at < options.size; at++) {
      this.slots.push({
        worker: undefined,
        hasStarted: false,
        task: undefined,
        waiting: new Map(),
        failures: 0,
        usedAt: 0,
      });
    }
  }

  /**
   * Runs a job on a worker. Jobs with the same key `pin` run on the same worker, in order. Rejects with WorkerCrashed
   * or JobAborted.
   */
  run(job: Job, transfer: readonly Transferable[], signal?: AbortSignal, pin?: string): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      if (this.closed || signal?.aborted) return reject(new JobAborted());
      const abort = () => this.abort(task);
      const stopListening = () => signal?.removeEventListener("abort", abort);
      const task: Task = {
        id: ++this.count,
        job,
        transfer,
        slot: pin === undefined ? undefined : this.slotOf(pin),
        done: (answer) => {
          stopListening();
          resolve(answer as Answer);
        },
        failed: (error) => {
          stopListening();
          reject(error);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.queue.push(task);
      this.dispatch();
      if (this.queue.at(-1) === task) this.startFor(task);
    });
  }

  /** Starts the first worker, if no worker has started, so that it is ready when jobs come. */
  startFirst(): void {
    if (!this.closed && !this.hasStarted) this.slots[0].worker = this.start(0);
  }

  /** Whether the pool has a worker, which runs or is still starting. */
  get hasStarted(): boolean {
    return this.slots.some(({ worker }) => worker !== undefined);
  }

  /**
   * Sends a message to every running worker, ahead of the queued jobs. Returns the number of workers. A worker that
   * starts later does not get the message; its `workerData` must hold the same information.
   */
  broadcast(message: unknown): number {
    const workers = this.workers();
    for (const worker of workers) worker.postMessage(message);
    for (const slot of this.slots) slot.usedAt = performance.now();
    return workers.length;
  }

  /** Number of workers of the pool that run or are starting. */
  get running(): number {
    return this.workers().length;
  }

  get waiting(): number {
    return this.queue.length;
  }

  get isFull(): boolean {
    let waiting = this.queue.length;
    for (const slot of this.slots) waiting += slot.waiting.size;
    return waiting >= this.options.mostWaiting;
  }

  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.idleTimer);
    for (const task of this.queue.splice(0)) task.failed(new JobAborted());
    await Promise.all(this.workers().map((worker) => worker.terminate()));
  }

  /** Returns the slot (position in the pool) whose worker runs all jobs with the key `pin`. */
  private slotOf(pin: string): number {
    return hashOf(pin) % this.options.size;
  }

  private workers(): Worker[] {
    return this.slots.flatMap(({ worker }) => worker ?? []);
  }

  /**
   * Starts a worker for a job that waits in the queue. When the job may run only in one slot (position in the
   * pool), starts the worker of that slot. Otherwise starts a worker in a slot that has none, but only when fewer
   * workers are starting than jobs wait.
   */
  private startFor({ slot }: Task): void {
    const starting = this.slots.filter((each) => each.worker !== undefined && !each.hasStarted && !rests(each)).length;
    const at = slot ?? (starting < this.queue.length ? this.slots.findIndex(({ worker }) => worker === undefined) : -1);
    if (at >= 0) this.slots[at].worker ??= this.start(at);
  }

  private start(at: number): Worker {
    const worker = new Worker(this.options.script, {
      workerData: this.options.workerData(),
      resourceLimits: { maxOldGenerationSizeMb: this.options.heapMb ?? 1024, maxYoungGenerationSizeMb: youngMb },
    });
    this.watchIdle();
    let reason = "";
    worker.on("error", (error) => {
      reason = error instanceof Error ? error.message : String(error);
    });
    worker.on("message", (message: { kind: string; id?: number; answer?: unknown }) => {
      const slot = this.slots[at];
      const isReplaced = slot.worker !== worker;
      if (message.kind !== "answer" && message.kind !== "waiting") {
        this.options.onMessage?.(message);
        if (isReplaced || slot.hasStarted) return;
        slot.hasStarted = true;
        slot.usedAt = performance.now();
        return this.dispatch();
      }
      if (isReplaced) return;
      const { task } = slot;
      const isRunning = task !== undefined && task.id === message.id;
      if (isRunning) slot.task = undefined;
      if (message.kind === "waiting") {
        if (isRunning) slot.waiting.set(task.id, task);
      } else {
        const answered = isRunning ? task : slot.waiting.get(message.id!);
        slot.waiting.delete(message.id!);
        slot.failures = 0;
        slot.usedAt = performance.now();
        answered?.done(message.answer);
      }
      this.dispatch();
    });
    worker.on("exit", (code) => this.exited(at, worker, reason || `exit code ${code}`));
    return worker;
  }

  /** Starts a timer that repeatedly ends workers without jobs. The timer stops when no worker is left. */
  private watchIdle(): void {
    const { idle } = this.options;
    if (idle === undefined) return;
    this.idleTimer ??= setInterval(() => {
      this.endIdle(idle);
      if (this.running > 0) return;
      clearInterval(this.idleTimer);
      this.idleTimer = undefined;
    }, idleCheckMs).unref();
  }

  private endIdle({ surplusMs, lastMs, mayEnd }: IdleOptions): void {
    const now = performance.now();
    for (const [at, slot] of this.slots.entries()) {
      const { worker, hasStarted, task, waiting, usedAt } = slot;
      if (worker === undefined || !hasStarted || task !== undefined || waiting.size > 0) continue;
      if (now - usedAt < (this.running > 1 ? surplusMs : lastMs) || !mayEnd((pin) => this.slotOf(pin) === at)) continue;
      slot.worker = undefined;
      slot.hasStarted = false;
      void worker.terminate();
    }
  }

  private exited(at: number, worker: Worker, reason: string): void {
    const slot = this.slots[at];
    if (slot?.worker !== worker) return;
    slot.hasStarted = false;
    this.failAll(slot, () => (this.closed ? new JobAborted() : new WorkerCrashed(reason)));
    if (this.closed) return;
    this.options.onCrash(reason);
    slot.failures++;
    if (rests(slot)) setTimeout(() => this.replace(at), 1000).unref();
    else this.replace(at);
  }

  private failAll(slot: Slot, error: () => Error): void {
    const tasks = [...slot.waiting.values(), ...(slot.task === undefined ? [] : [slot.task])];
    slot.task = undefined;
    slot.waiting.clear();
    for (const task of tasks) task.failed(error());
  }

  private replace(at: number): void {
    if (this.closed) return;
    this.slots[at].hasStarted = false;
    this.slots[at].worker = this.start(at);
  }

  private abort(task: Task): void {
    const waiting = this.queue.indexOf(task);
    if (waiting >= 0) this.queue.splice(waiting, 1);
    const at = this.slots.findIndex((slot) => slot.task === task);
    for (const { waiting: its } of this.slots) its.delete(task.id);
    if (at >= 0) {
      const { worker } = this.slots[at];
      this.slots[at].task = undefined;
      this.failAll(this.slots[at], () => new WorkerCrashed("its worker was ended with another job"));
      this.replace(at);
      void worker?.terminate();
    }
    task.failed(new JobAborted());
  }

  private dispatch(): void {
    for (const [at, slot] of this.slots.entries()) {
      if (this.queue.length === 0) return;
      if (slot.task !== undefined || !slot.hasStarted) continue;
      const next = this.queue.findIndex((task) => task.slot === undefined || task.slot === at);
      if (next < 0) continue;
      const [task] = this.queue.splice(next, 1);
      slot.task = task;
      slot.worker?.postMessage({ kind: "job", id: task.id, job: task.job }, task.transfer as Transferable[]);
    }
  }
}

/** Returns the 32-bit FNV-1a hash of a string. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

/**
 * Returns whether the workers of a slot (position in the pool) have failed too often. If so, the pool waits before it
 * starts a new worker there, since workers could otherwise fail without end.
 */
function rests({ failures }: { readonly failures: number }): boolean {
  return failures > 3;
}
