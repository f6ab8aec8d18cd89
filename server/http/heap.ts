// Sets how far V8 lets the heaps of a service grow before it does a full garbage collection.

import { setFlagsFromString } from "node:v8";

/**
 * Lets each heap grow to four times its live memory, the largest factor that V8 itself ever uses. Bodies are memory
 * outside the heap, but count against the heap's limit, which V8 sets a little above the live memory at the last
 * collection. With some twenty megabytes alive, V8 therefore marked the whole heap after every ten megabytes of bodies,
 * on all processor cores. With this setting, the cheap collections of young objects free the bodies. The setting also
 * applies to threads that start later.
 */
export function raiseHeapGrowth(): void {
  setFlagsFromString("--heap-growing-percent=300");
}
