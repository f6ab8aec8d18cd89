// Configures how far the heaps of a service may grow before V8 collects garbage, and collects the garbage of a
// service while the service is idle.

import { executionAsyncResource } from "node:async_hooks";
import { PerformanceObserver } from "node:perf_hooks";
import process from "node:process";
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Maximum size in MiB of each half of the main thread's young generation (V8's memory for new objects). V8
 * copies the objects that survive a collection from one half to the other. By default, V8 lets a half grow to 16
 * MiB, but this makes no service faster.
 */
const halfMb = 4;

/**
 * Keeps the heaps of a process small while the process starts. The old generation of a heap (the memory for
 * objects that have survived collections) may grow to 1.5 times its live memory before V8 makes a full garbage
 * collection. The young generation of the main thread keeps its first size, 1 MiB. By default, V8 doubles this
 * size whenever much of the young generation survives a collection, and nearly everything that a service loads
 * at start survives. Call `limitYoungGeneration` after the start, because writes are slow with such a small
 * young generation.
 *
 * The growth factor of young generations applies to all threads, and this function sets it to 1. So the young
 * generation of a worker thread that starts later could not grow; for this reason it begins with its largest
 * size.
 */
export function keepHeapsSmall(): void {
  setFlagsFromString("--heap-growing-percent=50");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString(`--min-semi-space-size=${halfMb}`);
  keepTickShape();
}

const keptTicks: object[] = [];

/**
 * Keeps alive one of the objects that Node creates for each call of `process.nextTick`. V8 forgets the shape
 * (hidden class) of such objects when several full garbage collections find none of them. From then on until the
 * process ends, V8 would create these objects in a slow way, and a service with small writes would need 8 % more
 * processor time. `kept`: the list to which the object is added; the list must stay alive.
 */
export function keepTickShape(kept: object[] = keptTicks): void {
  // Inside the callback of `process.nextTick`, `executionAsyncResource` returns the object that Node created for
  // the call.
  process.nextTick(() => kept.push(executionAsyncResource()));
}

let isGrowthRaised = false;

/**
 * Lets each heap grow to four times its live memory before V8 makes a full garbage collection. Four is the
 * largest factor that V8 itself uses. A service calls this function for each request body; only the first call
 * has an effect.
 *
 * Request bodies are stored outside the heap, but V8 counts them against the limit of the heap, which is
 * normally only a little above the live memory. For example, with twenty megabytes of live memory, V8 marked the
 * whole heap on all processor cores after every ten megabytes of bodies. With the higher limit, the bodies are
 * freed by the cheap collections of young objects. An agent that only reads files gets no bodies; it never calls
 * this function, because it needs less memory without this setting. The setting applies to all threads,
 * including threads that start later.
 */
export function raiseHeapGrowth(): void {
  if (isGrowthRaised) return;
  isGrowthRaised = true;
  setFlagsFromString("--heap-growing-percent=300");
}

/**
 * Lets the young generation of the main thread grow until each half has `halfMb` MiB. V8 reads its own limit for
 * the size only when a process starts, but it reads the growth factor at each collection. So this function sets
 * the factor again after each collection: to 1 when the size is reached. Node reports a collection only in a
 * later turn of the event loop. So two collections in the same turn may enlarge the halves to twice `halfMb`.
 *
 * This function also makes V8 collect the young generation with a single thread. For so little memory, one
 * thread is as fast as several, and the whole agent uses a tenth less processor time.
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

/** Returns the size in bytes of the young generation of this thread, that is, of its two halves together. */
function bytesOfYoungGeneration(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
}

/**
 * `idleCheckMs`: the time in milliseconds between two checks whether the thread is idle. `mostUtilization`: the
 * largest share of this time in which a thread may be busy and still counts as idle.
 */
const idleCheckMs = 3000;
const mostUtilization = 0.05;
/** Number of bytes by which the used memory must have grown before a collection is worth its time. */
const leastGrowth = 16 * 1024 * 1024;
/** Minimum time in milliseconds between two collections. A collection may stop the thread for about 30 ms. */
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
 * Returns a function that collects garbage if the thread was idle since the previous call and its memory has
 * grown. V8 itself collects garbage only while memory is allocated. Without this function, the garbage of the
 * last request bodies, about 50 MB, would stay in memory until the next write request comes.
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
 * Returns V8's function that collects all garbage of this thread. V8 provides this function only in contexts
 * that are created while the flag `--expose-gc` is set.
 */
function fullCollection(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  return () => collect();
}
