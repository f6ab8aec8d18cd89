// How far V8 lets the heaps of a service grow before it collects all of them.

import { setFlagsFromString } from "node:v8";

/**
 * Bodies are memory outside the heap, but count against its limit, which V8 sets a little above what was alive at the last
 * collection: with some twenty megabytes alive it marked all of them again and again, after some ten megabytes of bodies each
 * time, on as many threads as there are. Now the limit is four times what is alive, the most that V8 itself ever takes, and the
 * collections of young objects, which are cheap, free the bodies. It holds for the threads that are started later.
 */
export function letHeapsGrow(): void {
  setFlagsFromString("--heap-growing-percent=300");
}
