// Sets how far V8 lets the heaps of a service grow before it collects garbage, and collects the garbage of an idle
// service.

import { executionAsyncResource } from "node:async_hooks";
import { PerformanceObserver } from "node:perf_hooks";
import process from "node:process";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Largest size in MiB of each half of the young generation (V8's memory for new objects) of the main thread. V8 copies
 * the objects that survive a collection from one half to the other. By default a half grows to 16 MiB, which makes no
 * service faster.
 */
const halfMb = 4;

/**
 * Keeps the heaps of a process small while it starts. An old generation (the memory of objects that have survived) may
 * grow to 1.5 times its live memory before a full garbage collection. The young generation of the main thread keeps its
 * first size, 1 MiB. By default V8 doubles this size whenever much of the young generation survives a collection, and
 * nearly everything that a service loads at start survives. Call `limitYoungGeneration` after the start, because writes
 * are slow with such a small young generation.
 *
 * The growth factor of young generations applies to all threads, and this function sets it to 1. So the young
 * generation of a worker thread that starts later could not grow. It begins with its largest size instead.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString("--heap-growing-percent=50");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString(`--min-semi-space-size=${halfMb}`);
  keepTickShape();
}

const keptTicks: object[] = [];

/**
 * Keeps one of the objects alive that Node makes for each call of `process.nextTick`. V8 forgets the shape (hidden
 * class) of objects when several full garbage collections find none of them. Afterwards each call of `process.nextTick`
 * makes its object on V8's slow path, until the process ends. A service with small writes then needs 8 % more processor
 * time. `kept`: the list to which the object is added; it must stay alive.
 */
export function keepTickShape(kept: object[] = keptTicks): void {
  // Inside its callback, the object of a call is what `executionAsyncResource` returns.
  process.nextTick(() => kept.push(executionAsyncResource()));
}

let isGrowthRaised = false;

/**
 * Lets each heap grow to four times its live memory before a full garbage collection. Four is the largest factor that
 * V8 itself uses. A service calls this function for each request body; only the first call changes anything.
 *
 * Request bodies are memory outside the heap, but V8 counts them against the limit of the heap, which is normally a
 * little above the live memory. With twenty megabytes of live memory, V8 therefore marked the whole heap after every
 * ten megabytes of bodies, on all processor cores. With this setting, the cheap collections of young objects free the
 * bodies. An agent that gets no bodies, because it only reads files, needs less memory without this setting. The
 * setting applies to all threads, also to those that start later.
 */
export function raiseHeapGrowth(): void {
  if (isGrowthRaised) return;
  isGrowthRaised = true;
  setFlagsFromString("--heap-growing-percent=300");
}

/**
 * Lets the young generation of the main thread grow until each half has `halfMb` MiB. V8 reads its own limit only when
 * a process starts, but it reads the factor by which the young generation grows at each collection. So this function
 * sets the factor anew after each collection. Node reports a collection only in a later turn of the event loop, so two
 * collections in one turn may grow the halves to twice `halfMb`.
 *
 * This function also makes V8 collect the young generation with one thread. One thread is as fast as several threads
 * for so little memory, and the whole agent takes a tenth less processor time.
 */
export function limitYoungGeneration(): void {
  setFlagsFromString("--no-parallel-scavenge");
  let factor = 0;
  const setFactor = () => {
    const next = bytesOfYoungGeneration() < 2 * halfMb * 1024 * 1024 ? 2 : 1;
    if (next !== factor) setFlagsFromString(`--semi-space-growth-factor=${next}`);
    factor = next;
  };
  setFactor();
  new PerformanceObserver(setFactor).observe({ entryTypes: ["gc"] });
}

/** Returns the size of both halves of the young generation of this thread. */
function bytesOfYoungGeneration(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
}

/**
 * Milliseconds between two checks whether the thread is idle, and the largest share of this time in which an idle
 * thread may work.
 */
const idleCheckMs = 3000;
const mostUtilization = 0.05;
/** Number of bytes by which the memory in use must have grown, so that a collection is worth its time. */
const leastGrowth = 16 * 1024 * 1024;
/** Least number of milliseconds from one collection to the next. A collection may stop the thread for some 30 ms. */
const leastPauseMs = 60_000;

export interface IdleCollectionOptions {
  /** Returns the current time of a clock in milliseconds. */
  readonly now: () => number;
  /** Returns the share of the time since the previous call in which the thread was busy, from 0 to 1. */
  readonly utilization: () => number;
  /** Returns the number of bytes that the heap and the array buffers of this thread take, garbage included. */
  readonly bytesInUse: () => number;
  readonly collect: () => void;
}

/**
 * Returns a function that collects garbage when the thread was idle since the previous call and its memory has grown.
 * V8 collects only while memory is allocated. So after the last of many writes, the thread would keep the garbage of
 * their bodies, some 50 MB, for as long as no write comes.
 */
export function createIdleCollection({ now, utilization, bytesInUse, collect }: IdleCollectionOptions): () => void {
  let least = bytesInUse();
  let collectedAt = -Infinity;
  return () => {
    const isBusy = utilization() > mostUtilization;
    const bytes = bytesInUse();
    least = Math.min(least, bytes);
    if (isBusy || bytes - least < leastGrowth || now() - collectedAt < leastPauseMs) return;
    collect();
    collectedAt = now();
    least = bytesInUse();
  };
}

/**
 * Collects the garbage of this thread whenever the thread is idle (see `createIdleCollection`). `utilization` returns
 * the share of the time since its previous call in which the thread was busy, from 0 to 1.
 */
export function collectWhenIdle(utilization: () => number): void {
  const check = createIdleCollection({
    now: () => performance.now(),
    utilization,
    bytesInUse: () => {
      const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
      return heap + external;
    },
    collect: fullCollection(),
  });
  setInterval(check, idleCheckMs).unref();
}

/**
 * Returns V8's function that collects all garbage of this thread. V8 offers the function only to contexts that are made
 * while the flag `--expose-gc` is set.
 */
function fullCollection(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  return () => collect();
}
