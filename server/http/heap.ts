// Sets how far V8 lets the heaps of a service grow before it collects garbage.

import { setFlagsFromString } from "node:v8";

/**
 * Lets each heap grow to four times its live memory before a full garbage collection. Four is the largest factor that
 * V8 itself uses.
 *
 * Request bodies are memory outside the heap, but V8 counts them against the limit of the heap, which is normally a
 * little above the live memory. With twenty megabytes of live memory, V8 therefore marked the whole heap after every
 * ten megabytes of bodies, on all processor cores. With this setting, the cheap collections of young objects free the
 * bodies. The setting also applies to threads that start later.
 */
export function raiseHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=300");
}

/**
 * Keeps the young generation of the heap at its first size, 1 MiB. V8 doubles it each time that much of it survives,
 * and nearly all of what a service loads at start survives. So the young generation would have 16 MiB when the service
 * has started, which an idle service does not need. Call `releaseYoungGeneration` after the start, because writes are
 * slow with a small young generation.
 */
export function holdYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
}

/** Lets the young generation grow again, by the factor that V8 uses by default. */
export function releaseYoungGeneration(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
}
